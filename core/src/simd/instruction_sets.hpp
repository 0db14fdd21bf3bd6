/// Which sets of instructions this processor has.
#pragma once

namespace generative_ik::simd {

inline bool hasAvx512() {
#ifdef GENERATIVE_IK_X86_KERNELS
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0;
#else
  return false;
#endif
}

inline bool hasAvx2() {
#ifdef GENERATIVE_IK_X86_KERNELS
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#else
  return false;
#endif
}

}  // namespace generative_ik::simd

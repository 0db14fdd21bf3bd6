/// Which sets of instructions this processor has.
#pragma once

namespace generative_ik::simd {

inline bool hasAvx512() {
#ifdef GENERATIVE_IK_X86_KERNELS
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

inline bool hasAvx2() {
#ifdef GENERATIVE_IK_X86_KERNELS
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

}  // namespace generative_ik::simd

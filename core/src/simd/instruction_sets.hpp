/// Sets of instructions that kernels are compiled for, those of a room in its `isa.cpp`.
#pragma once

#include <vector>

namespace generative_ik::simd {

/// What every processor of an architecture has.
struct Baseline {
#ifdef __aarch64__
  static constexpr const char* kName = "neon";
#else
  static constexpr const char* kName = "baseline";
#endif
  static constexpr int kWidth = 2;  ///< Numbers that fit into a register.
};
struct Avx2 {
  static constexpr const char* kName = "avx2";
  static constexpr int kWidth = 4;
};
struct Avx512 {
  static constexpr const char* kName = "avx512";
  static constexpr int kWidth = 8;
};

/// A kernel for each set that this processor has, the fastest first. `of(Avx2{})` is that for
/// AVX2.
///
/// With sanitizers, kernels for AVX-512 are not compiled, nor, where one takes minutes, any but
/// the baseline's.
template <bool kTakesMinutes = false, class KernelOf>
auto usable(const KernelOf& of) {
  std::vector<decltype(of(Baseline{}))> kernels;
#ifdef GENERATIVE_IK_X86_KERNELS
#ifdef GENERATIVE_IK_SANITIZED
  constexpr bool kSanitized = true;
#else
  constexpr bool kSanitized = false;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    kernels.push_back(of(Avx512{}));
  }
#endif
  if constexpr (!kSanitized || !kTakesMinutes) {
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
      kernels.push_back(of(Avx2{}));
    }
  }
#endif
  kernels.push_back(of(Baseline{}));
  return kernels;
}

}  // namespace generative_ik::simd

/// Sets of instructions that kernels are compiled for, each in a room's folder `isa/`.
#pragma once

#include <vector>

namespace generative_ik::simd {

/// What every processor of an architecture has.
struct Baseline {};
struct Avx2 {};
struct Avx512 {};

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

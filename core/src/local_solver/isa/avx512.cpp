// The local solver's iteration for AVX-512.
#include "../kernel_of.hpp"

namespace generative_ik {

LaneKernel laneKernel(simd::Avx512) {
  return laneKernelOf<simd::Lanes<8>>("avx512");
}

}  // namespace generative_ik

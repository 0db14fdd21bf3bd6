// The local solver's iteration for AVX2.
#include "../kernel_of.hpp"

namespace generative_ik {

LaneKernel laneKernel(simd::Avx2) {
  return laneKernelOf<simd::Lanes<4>>("avx2");
}

}  // namespace generative_ik

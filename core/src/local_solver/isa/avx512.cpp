// The local solver's iteration for AVX-512.
#include "../damped_step.hpp"

namespace generative_ik {

LaneKernel laneKernelAvx512() {
  return laneKernelOf<simd::Lanes<8>>("avx512");
}

}  // namespace generative_ik

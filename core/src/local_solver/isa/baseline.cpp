// The local solver's iteration for the registers that every processor has.
#include "../kernel_of.hpp"

namespace generative_ik {

LaneKernel laneKernel(simd::Baseline) {
#ifdef __aarch64__
  return laneKernelOf<simd::Lanes<2>>("neon");
#else
  return laneKernelOf<simd::Lanes<2>>("baseline");
#endif
}

}  // namespace generative_ik

// The local solver's iteration for the registers that every processor has.
#include "../damped_step.hpp"

namespace generative_ik {

LaneKernel laneKernelBaseline() {
  return laneKernelOf<simd::Lanes<2>>();
}

}  // namespace generative_ik

// Networks for the registers that every processor has.
#include "../arm_completion_kernel.hpp"
#include "../kernels.hpp"
#include "../spline_flow_kernel.hpp"

namespace generative_ik::learned {

NetworkKernels networkKernels(simd::Baseline) {
  using Floats = simd::FloatLanes<4>;
  return {denseLayer<Floats>, drawFromFlow<Floats>, completeArms<Floats>};
}

}  // namespace generative_ik::learned

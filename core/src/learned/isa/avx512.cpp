// Networks for AVX-512.
#include "../arm_completion_kernel.hpp"
#include "../kernels.hpp"
#include "../spline_flow_kernel.hpp"

namespace generative_ik::learned {

NetworkKernels networkKernels(simd::Avx512) {
  using Floats = simd::FloatLanes<16>;
  return {denseLayer<Floats>, drawFromFlow<Floats>, completeArms<Floats>};
}

}  // namespace generative_ik::learned

// Networks, for a set of instructions.
#include "../simd/compiled_set.hpp"
#include "arm_completion_kernel.hpp"
#include "kernels.hpp"
#include "spline_flow_kernel.hpp"

namespace generative_ik::learned {

NetworkKernels networkKernels(simd::CompiledSet) {
  using Floats = simd::CompiledFloats;
  return {denseLayer<Floats>, drawFromFlow<Floats>, completeArms<Floats>};
}

}  // namespace generative_ik::learned

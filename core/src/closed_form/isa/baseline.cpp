// Closed forms for the registers that every processor has.
#include "../kernels_of.hpp"

namespace generative_ik {

ClosedFormKernels closedFormKernels(simd::Baseline) {
  return closedFormKernelsOf<simd::Lanes<2>>();
}

}  // namespace generative_ik

// Closed forms for AVX2.
#include "../kernels_of.hpp"

namespace generative_ik {

ClosedFormKernels closedFormKernels(simd::Avx2) {
  return closedFormKernelsOf<simd::Lanes<4>>();
}

}  // namespace generative_ik

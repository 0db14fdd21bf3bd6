// Closed forms for AVX-512.
#include "../kernels_of.hpp"

namespace generative_ik {

ClosedFormKernels closedFormKernels(simd::Avx512) {
  return closedFormKernelsOf<simd::Lanes<8>>();
}

}  // namespace generative_ik

// Farthest-first traversal for AVX-512.
#include "../farthest_first.hpp"

namespace generative_ik {

FarthestFirstKernel farthestFirstAvx512() {
  return farthestFirst<simd::Lanes<8>, simd::FloatLanes<16>>;
}

}  // namespace generative_ik

// Farthest-first traversal for AVX2.
#include "../farthest_first.hpp"

namespace generative_ik {

FarthestFirstKernel farthestFirstAvx2() {
  return farthestFirst<simd::Lanes<4>, simd::FloatLanes<8>>;
}

}  // namespace generative_ik

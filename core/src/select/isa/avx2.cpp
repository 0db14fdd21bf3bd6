// Farthest-first traversal and manipulability for AVX2.
#include "../farthest_first.hpp"
#include "../manipulability.hpp"

namespace generative_ik {

FarthestFirstKernel farthestFirst(simd::Avx2) {
  return farthestFirst<simd::Lanes<4>, simd::FloatLanes<8>>;
}

ManipulabilityKernel manipulability(simd::Avx2) {
  return manipulabilityOfRows<simd::Lanes<4>>;
}

}  // namespace generative_ik

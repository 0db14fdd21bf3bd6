// Farthest-first traversal and manipulability for AVX-512.
#include "../farthest_first.hpp"
#include "../manipulability.hpp"

namespace generative_ik {

FarthestFirstKernel farthestFirst(simd::Avx512) {
  return farthestFirst<simd::Lanes<8>, simd::FloatLanes<16>>;
}

ManipulabilityKernel manipulability(simd::Avx512) {
  return manipulabilityOfRows<simd::Lanes<8>>;
}

}  // namespace generative_ik

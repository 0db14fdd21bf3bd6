// Farthest-first traversal and manipulability for AVX-512.
#include "../farthest_first.hpp"
#include "../manipulability.hpp"

namespace generative_ik {

FarthestFirstKernel farthestFirstAvx512() {
  return farthestFirst<simd::Lanes<8>, simd::FloatLanes<16>>;
}

ManipulabilityKernel manipulabilityAvx512() {
  return manipulabilityOfRows<simd::Lanes<8>>;
}

}  // namespace generative_ik

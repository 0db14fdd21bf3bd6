// Farthest-first traversal and manipulability for the registers that every processor has.
#include "../farthest_first.hpp"
#include "../manipulability.hpp"

namespace generative_ik {

FarthestFirstKernel farthestFirst(simd::Baseline) {
  return farthestFirst<simd::Lanes<2>, simd::FloatLanes<4>>;
}

ManipulabilityKernel manipulability(simd::Baseline) {
  return manipulabilityOfRows<simd::Lanes<2>>;
}

}  // namespace generative_ik

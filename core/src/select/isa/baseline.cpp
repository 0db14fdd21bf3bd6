// Farthest-first traversal and manipulability for the registers that every processor has.
#include "../farthest_first.hpp"
#include "../manipulability.hpp"

namespace generative_ik {

FarthestFirstKernel farthestFirstBaseline() {
  return farthestFirst<simd::Lanes<2>, simd::FloatLanes<4>>;
}

ManipulabilityKernel manipulabilityBaseline() {
  return manipulabilityOfRows<simd::Lanes<2>>;
}

}  // namespace generative_ik

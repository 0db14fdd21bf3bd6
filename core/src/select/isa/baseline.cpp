// Farthest-first traversal for the registers that every processor has.
#include "../farthest_first.hpp"

namespace generative_ik {

FarthestFirstKernel farthestFirstBaseline() {
  return farthestFirst<simd::Lanes<2>, simd::FloatLanes<4>>;
}

}  // namespace generative_ik

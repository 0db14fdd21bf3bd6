// Collision checks and distances for the registers that every processor has.
#include "../kernels_of.hpp"

namespace generative_ik::collision {

Kernels kernels(simd::Baseline) {
  return kernelsOf<simd::Lanes<2>>();
}

}  // namespace generative_ik::collision

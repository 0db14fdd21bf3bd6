// Collision checks and distances for AVX2.
#include "../kernels_of.hpp"

namespace generative_ik::collision {

Kernels kernels(simd::Avx2) {
  return kernelsOf<simd::Lanes<4>>();
}

}  // namespace generative_ik::collision

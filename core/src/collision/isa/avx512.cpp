// Collision checks and distances for AVX-512.
#include "../kernels_of.hpp"

namespace generative_ik::collision {

Kernels kernels(simd::Avx512) {
  return kernelsOf<simd::Lanes<8>>();
}

}  // namespace generative_ik::collision

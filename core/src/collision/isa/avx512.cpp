// Collision checks and distances for AVX-512.
#include "../kernels_of.hpp"

namespace generative_ik::collision {

Kernels kernelsAvx512() {
  return kernelsOf<simd::Lanes<8>>();
}

}  // namespace generative_ik::collision

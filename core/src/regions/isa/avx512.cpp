// Poses of a region, for AVX-512.
#include "../region_poses.hpp"

namespace generative_ik::regions {

PlaceKernel place(simd::Avx512) {
  return placePoses<simd::Lanes<8>>;
}

}  // namespace generative_ik::regions

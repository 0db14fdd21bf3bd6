// Poses of a region, for AVX2.
#include "../region_poses.hpp"

namespace generative_ik::regions {

PlaceKernel place(simd::Avx2) {
  return placePoses<simd::Lanes<4>>;
}

}  // namespace generative_ik::regions

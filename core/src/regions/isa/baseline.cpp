// Poses of a region, for the registers that every processor has.
#include "../region_poses.hpp"

namespace generative_ik::regions {

PlaceKernel place(simd::Baseline) {
  return placePoses<simd::Lanes<2>>;
}

}  // namespace generative_ik::regions

// Poses of a region, for a set of instructions.
#include "../simd/compiled_set.hpp"
#include "region_poses.hpp"

namespace generative_ik::regions {

PlaceKernel place(simd::CompiledSet) {
  return placePoses<simd::CompiledLanes>;
}

}  // namespace generative_ik::regions

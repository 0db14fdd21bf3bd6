#include "placed_poses.hpp"

namespace generative_ik::regions {
const std::vector<PlaceKernel>& placeKernels() {
  static const std::vector<PlaceKernel> kernels =
      simd::usable([](auto set) { return place(set); });
  return kernels;
}

}  // namespace generative_ik::regions

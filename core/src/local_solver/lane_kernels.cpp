#include "lane_kernels.hpp"

#include <generative_ik/version.hpp>

namespace generative_ik {
const std::vector<LaneKernel>& laneKernels() {
  static const std::vector<LaneKernel> kernels =
      simd::usable([](auto set) { return laneKernel(set); });
  return kernels;
}

const LaneKernel& laneKernel() {
  static const LaneKernel& kernel = laneKernels().front();
  return kernel;
}

std::string_view instructionSet() {
  return laneKernel().instruction_set;
}

}  // namespace generative_ik

#include "lane_kernels.hpp"

#include <generative_ik/version.hpp>

#include "../simd/instruction_sets.hpp"

namespace generative_ik {
namespace {

std::vector<LaneKernel> usableKernels() {
  std::vector<LaneKernel> kernels;
#ifdef GENERATIVE_IK_X86_KERNELS
  if (simd::hasAvx512()) {
    kernels.push_back(laneKernelAvx512());
  }
  if (simd::hasAvx2()) {
    kernels.push_back(laneKernelAvx2());
  }
#endif
  kernels.push_back(laneKernelBaseline());
  return kernels;
}

}  // namespace

const std::vector<LaneKernel>& laneKernels() {
  static const std::vector<LaneKernel> kernels = usableKernels();
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

#include "placed_poses.hpp"

#include "../simd/instruction_sets.hpp"

namespace generative_ik::regions {
namespace {

std::vector<PlaceKernel> usableKernels() {
  std::vector<PlaceKernel> kernels;
#ifdef GENERATIVE_IK_X86_KERNELS
  if (simd::hasAvx512()) {
    kernels.push_back(placeAvx512());
  }
  if (simd::hasAvx2()) {
    kernels.push_back(placeAvx2());
  }
#endif
  kernels.push_back(placeBaseline());
  return kernels;
}

}  // namespace

const std::vector<PlaceKernel>& placeKernels() {
  static const std::vector<PlaceKernel> kernels = usableKernels();
  return kernels;
}

}  // namespace generative_ik::regions

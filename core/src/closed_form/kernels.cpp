#include "kernels.hpp"

#include "../simd/instruction_sets.hpp"

namespace generative_ik {
namespace {

std::vector<ClosedFormKernels> usableKernels() {
  std::vector<ClosedFormKernels> kernels;
#ifdef GENERATIVE_IK_X86_KERNELS
  if (simd::hasAvx512()) {
    kernels.push_back(closedFormKernelsAvx512());
  }
  if (simd::hasAvx2()) {
    kernels.push_back(closedFormKernelsAvx2());
  }
#endif
  kernels.push_back(closedFormKernelsBaseline());
  return kernels;
}

}  // namespace

const std::vector<ClosedFormKernels>& closedFormKernels() {
  static const std::vector<ClosedFormKernels> kernels = usableKernels();
  return kernels;
}

}  // namespace generative_ik

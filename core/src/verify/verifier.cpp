#include "verifier.hpp"

#include "../simd/instruction_sets.hpp"

namespace generative_ik::verify {
namespace {

std::vector<MeasureKernel> usableKernels() {
  std::vector<MeasureKernel> kernels;
#ifdef GENERATIVE_IK_X86_KERNELS
  if (simd::hasAvx512()) {
    kernels.push_back(measureAvx512());
  }
  if (simd::hasAvx2()) {
    kernels.push_back(measureAvx2());
  }
#endif
  kernels.push_back(measureBaseline());
  return kernels;
}

}  // namespace

const std::vector<MeasureKernel>& measureKernels() {
  static const std::vector<MeasureKernel> kernels = usableKernels();
  return kernels;
}

void measure(const RodriguesChain& chain, const Configurations& configurations, PoseGap* gaps) {
  static const MeasureKernel kernel = measureKernels().front();
  kernel(chain, configurations, gaps);
}

}  // namespace generative_ik::verify

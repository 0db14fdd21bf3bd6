#include "verifier.hpp"

#include "../parallel/for_each.hpp"
#include "../simd/instruction_sets.hpp"

namespace generative_ik::verify {
namespace {

// Configurations that a thread measures at a time.
constexpr std::int64_t kPiece = 2048;

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

void measure(const RodriguesChain& chain, const Configurations& configurations, PoseGap* gaps,
             const parallel::StopWhen& stop) {
  static const MeasureKernel kernel = measureKernels().front();
  const auto measure_some = [&](std::int64_t first, std::int64_t last) {
    Configurations some = configurations;
    some.positions += some.stride * first;
    some.count = last - first;
    if (some.target_of_row != nullptr) {
      some.target_of_row += first;
    }
    kernel(chain, some, gaps + first);
  };
  parallel::forRanges(configurations.count, kPiece, measure_some, stop);
}

}  // namespace generative_ik::verify

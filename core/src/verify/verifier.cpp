#include "verifier.hpp"

#include "../parallel/for_each.hpp"

namespace generative_ik::verify {
namespace {

// Configurations that a thread measures at a time.
constexpr std::int64_t kPiece = 2048;

}  // namespace

const std::vector<MeasureKernel>& measureKernels() {
  static const std::vector<MeasureKernel> kernels =
      simd::usable([](auto set) { return measure(set); });
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

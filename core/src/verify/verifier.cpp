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

const std::vector<MeasureOneKernel>& measureOneKernels() {
  static const std::vector<MeasureOneKernel> kernels =
      simd::usable([](auto set) { return measureOne(set); });
  return kernels;
}

PoseGap measureOne(const RodriguesChain& chain, const double* q, const double* target) {
  static const MeasureOneKernel kernel = measureOneKernels().front();
  return kernel(chain, q, target);
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

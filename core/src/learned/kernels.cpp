#include "kernels.hpp"

#include <algorithm>

namespace generative_ik::learned {
namespace {

// Least work for another thread, some 40 us of the fastest networks.
constexpr std::int64_t kFewest = 8;
// Some milliseconds of the slowest.
constexpr std::int64_t kMost = 64;
constexpr std::int64_t kPieces = 32;

}  // namespace

const NetworkKernels& networkKernels() {
  static const NetworkKernels kernels =
      simd::usable<true>([](auto set) { return networkKernels(set); }).front();
  return kernels;
}

std::int64_t chunksOfPiece(std::int64_t chunks) {
  return std::clamp(1 + chunks / kPieces, kFewest, kMost);
}

}  // namespace generative_ik::learned

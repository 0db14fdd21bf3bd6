#include "kernels.hpp"

#include <algorithm>

#include "../simd/instruction_sets.hpp"

namespace generative_ik::learned {
namespace {

// Least work for another thread, some 40 us of the fastest networks.
constexpr std::int64_t kFewest = 8;
// Some milliseconds of the slowest.
constexpr std::int64_t kMost = 64;
constexpr std::int64_t kPieces = 32;

NetworkKernels fastestKernels() {
#if defined(GENERATIVE_IK_X86_KERNELS) && !defined(GENERATIVE_IK_SANITIZED)
  if (simd::hasAvx512()) {
    return networkKernelsAvx512();
  }
  if (simd::hasAvx2()) {
    return networkKernelsAvx2();
  }
#endif
  return networkKernelsBaseline();
}

}  // namespace

const NetworkKernels& networkKernels() {
  static const NetworkKernels kernels = fastestKernels();
  return kernels;
}

std::int64_t chunksOfPiece(std::int64_t chunks) {
  return std::clamp(1 + chunks / kPieces, kFewest, kMost);
}

}  // namespace generative_ik::learned

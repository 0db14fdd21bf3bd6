/// The kernels of `core/cuda`, by name and as functions of the CPU.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace generative_ik::device {

enum class Kernel : std::size_t {
  kDescend6,
  kDescend7,
  kDescendAny,
  kMakeExact6,
  kMakeExact7,
  kMakeExactAny,
  kFindNew,
  kPutNew,
  kCount,
  kCountOpen,
  kAddUp,
  kListOpen,
  kPlace,
  kSphericalWrist,
  kSphericalWristCoupled,
  kThreeParallel,
  kThreeParallelCoupled,
  kKeepFree,
  kWriteInputs,
  kPassDense,
  kReadAnswers,
  kBeginFlow,
  kPassFlowHidden,
  kPassFlowLast,
  kBendFlow,
  kBeginArm,
  kPassArmNetwork,
  kMoveArmJoint,
};

struct KernelEntry {
  const char* name;  ///< In the module that nvcc makes.
  /// What one thread does, on the CPU.
  void (*on_cpu)(const void* task, std::int64_t thread);
};

inline constexpr std::size_t kNumKernels = 28;

/// In the order of `Kernel`.
const std::array<KernelEntry, kNumKernels>& kernelTable();

/// Threads of a block on a GPU, of all kernels.
inline constexpr unsigned kThreadsOfBlock = 128;

}  // namespace generative_ik::device

/// The code of each family of closed forms, and what all of them take.
#pragma once

#include <cstdint>
#include <vector>

namespace generative_ik {

/// Finds all branches of a pose.
///
/// It takes the family's parameters, the tip's pose in the base (4, 4) [m], row by row, and memory
/// for branches, rows of six. It writes them there as values of the chain's variables before
/// limits and turns are looked at, and returns how many. Where the pose lies at, or within some
/// 1e-5 [m or rad] of, a singular or continuous case, or of the border of where a branch exists,
/// it returns -1 - count instead: the branches are good, but there may be more. It allocates
/// nothing, and the same pose always gives the same branches.
using ClosedFormKernel = std::int64_t (*)(const double* parameters, const double* tip_pose,
                                          double* branches);

/// All families, compiled for a set of instructions.
struct ClosedFormKernels {
  ClosedFormKernel spherical_wrist;
  ClosedFormKernel spherical_wrist_coupled;
  ClosedFormKernel three_parallel;
  ClosedFormKernel three_parallel_coupled;
  ClosedFormKernel prismatic_wrist;
  ClosedFormKernel offset_wrist;
  ClosedFormKernel general_arm;
};

ClosedFormKernels closedFormKernelsBaseline();
#ifdef GENERATIVE_IK_X86_KERNELS
ClosedFormKernels closedFormKernelsAvx2();
ClosedFormKernels closedFormKernelsAvx512();
#endif

/// Those that this processor can run, the fastest first.
const std::vector<ClosedFormKernels>& closedFormKernels();

}  // namespace generative_ik

/// The code of each family of closed forms, for sets of instructions.
#pragma once

#include <generative_ik/closed_form.hpp>
#include <vector>

#include "../simd/instruction_sets.hpp"

namespace generative_ik {

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

ClosedFormKernels closedFormKernels(simd::Baseline);
ClosedFormKernels closedFormKernels(simd::Avx2);
ClosedFormKernels closedFormKernels(simd::Avx512);

/// Those that this processor can run, the fastest first.
const std::vector<ClosedFormKernels>& closedFormKernels();

/// The families, with kernels for some set of instructions.
std::vector<ClosedForm> closedFormsOf(const ClosedFormKernels& kernels);

}  // namespace generative_ik

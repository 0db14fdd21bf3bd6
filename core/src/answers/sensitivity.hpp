/// How far joints of branches can move within the tolerances, for several branches at a time.
#pragma once

#include "../simd/instruction_sets.hpp"
#include "branch_problem.hpp"

namespace generative_ik::answers {

/// How many times its tolerance an error must become, at the least, where nothing else is a
/// solution; with both tolerances used up their squares add up to 2.
inline constexpr double kRegular = 1.5;

/// What may be a solution where a full turn brings a joint a little outside its limits, all the
/// same, on the limit.
enum class Doubt {
  kNone,
  kOfTurn,   ///< There may be one by a turn, of a joint that has room for turns.
  kOfLimit,  ///< Of one that has none.
};

/// Measures the first `count` rows: writes their errors, `least` and `loosest`. Compiled for a set
/// of instructions.
using SensitivityKernel = Doubt (*)(const RodriguesChain&, const JointBounds&, const Accuracy&,
                                    double slack, const double* tip_pose, int count,
                                    BranchRows& rows);

SensitivityKernel sensitivity(simd::Baseline);
SensitivityKernel sensitivity(simd::Avx2);
SensitivityKernel sensitivity(simd::Avx512);

}  // namespace generative_ik::answers

/// What lies beside a nearly singular branch: nothing, or solutions along a curve.
#pragma once

#include "branch_problem.hpp"

namespace generative_ik::answers {

/// What following a curve from a branch has shown.
struct Probe {
  int rows;    ///< How many rows there are then.
  bool alone;  ///< Whether the branch stands alone.
  /// Whether there is no more. There may be if more than one direction is weak, or if there is no
  /// memory left.
  bool known;
};

/// Appends solutions along the curve on which a branch lies.
///
/// Where only one direction moves the tip so little, what is within the tolerances lies along a
/// curve. If it reaches as far as solutions are told apart, it crosses the two places there where
/// one joint has moved by that distance: the least error that the others can make of it says
/// whether it does. It is followed from there, step by step.
Probe follow(const BranchProblem& problem, const double* tip_pose, int row, int count,
             BranchRows& rows);

}  // namespace generative_ik::answers

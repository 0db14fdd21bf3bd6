/// Chains and trees as the search and the local solver take them: packed into two arrays of
/// numbers.
#pragma once

#include <cstdint>
#include <generative_ik/chain.hpp>
#include <generative_ik/pose_error.hpp>
#include <span>
#include <vector>

#include "../local_solver/chain_solver.hpp"
#include "../local_solver/packed_joints.hpp"
#include "joint_tree.hpp"

namespace generative_ik {

/// The numbers of a problem.
struct PackedChain {
  std::vector<double> floats;
  std::vector<std::int64_t> ints;
  LaneOptions options;  ///< Those that are among the numbers.

  [[nodiscard]] Packed view() const {
    return {floats.data(), floats.size(), ints.data(), ints.size()};
  }
  /// The part of them that the local solver takes.
  [[nodiscard]] LaneChain chain() const { return unpackChain(floats.data(), ints.data()); }
};

/// How many coordinates of the tip's pose the tolerances constrain.
int countConstraints(const Tolerance& tolerance);

/// The parameters of the local solver. Args: length: that weighs as much as 1 rad [m].
LaneOptions solverOptions(const Tolerance& tolerance, double length, std::int64_t num_goals = 1);

/// What is asked of a chain's solutions.
struct ChainDemands {
  Tolerance tolerance;
  double reach;    ///< No tip is further than this from the first joint [m].
  bool redundant;  ///< Whether there are more joints than the tolerances constrain.
};

/// What is asked of the solutions of a tree.
struct GoalDemands {
  std::span<const double> regions;        ///< (R, goals, 18) for the local solver.
  std::span<const double> checks;         ///< (R, goals, 14) for the verification.
  std::span<const std::int64_t> bounded;  ///< (goals) what they bound, see `Bounded`.
  bool redundant;                         ///< Whether solutions form continuous sets.
};

/// The problem of a chain, for `search::ChainProblem`.
PackedChain packed(const JointTree& joints, const LaneOptions& options,
                   const ChainDemands& demands);
/// The same with the usual options.
PackedChain packed(const Chain& chain, const Tolerance& tolerance);

/// The problem of several tips, or of regions, for `search::GoalNumbers`.
PackedChain packedGoals(const JointTree& joints, const LaneOptions& options,
                        const Tolerance& tolerance, const GoalDemands& demands);

}  // namespace generative_ik

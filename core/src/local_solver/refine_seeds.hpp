/// Refinement of given seeds, compiled.
#pragma once

#include "goals/goal_solver.hpp"
#include "refine.hpp"

namespace generative_ik {

/// Moves each seed towards its target, and writes where it ended. Args: poses: (targets, 4, 4) tip
/// in base [m].
void refineChain(const LaneChain& chain, const LaneOptions& options, const double* poses,
                 const Refinement& task, const SeedShares& shares);

/// The same for targets (T, G, 4, 4) of several goals: tip in reference [m].
void refineGoals(const GoalTask& asked, const double* targets, const Refinement& task,
                 const SeedShares& shares);

}  // namespace generative_ik

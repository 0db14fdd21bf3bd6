/// Refinement of given seeds towards several goals, compiled.
#pragma once

#include "../refine.hpp"
#include "goal_solver.hpp"

namespace generative_ik {

/// What `refineChain` does, for targets (T, G, 4, 4): tip in reference [m].
void refineGoals(const GoalTask& goals, const double* targets, const Refinement& task,
                 const SeedShares& shares);

}  // namespace generative_ik

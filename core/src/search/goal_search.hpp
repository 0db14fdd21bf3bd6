/// The search for solutions of several goals, or within regions, compiled.
#pragma once

#include "goal_problem.hpp"
#include "state.hpp"

namespace generative_ik::search {

/// How many numbers of memory a search takes.
std::int64_t goalSearchMemory(const GoalNumbers& numbers);

/// What `searchChain` does, for targets (T, G, 4, 4) of a tree's goals: tip in reference [m].
RunStatus searchGoals(const GoalNumbers& numbers, const double* targets, double* memory,
                      SearchArrays arrays, const StepLimit& limit);

}  // namespace generative_ik::search

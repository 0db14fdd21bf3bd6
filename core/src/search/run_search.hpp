/// The search for solutions of one tip, or of several goals, compiled.
#pragma once

#include "goal_problem.hpp"
#include "state.hpp"

namespace generative_ik::search {

/// How many numbers of memory a search with so many joints and variables takes.
std::int64_t searchMemory(std::int64_t num_joints, std::int64_t num_variables);
std::int64_t goalSearchMemory(const GoalNumbers& numbers);

/// Searches for solutions of some targets until all are closed, something is lacking, or the limit
/// is reached.
///
/// Args: packed: a chain for which `ChainProblem::takes` holds. poses: (T, 4, 4) targets, tip in
/// base [m], or the alternatives of the one target. memory: the lanes', of `searchMemory` numbers,
/// which the next call of the same run goes on with. `arrays.q` is not used.
RunStatus searchChain(const Packed& packed, const double* poses, double* memory,
                      SearchArrays arrays, const StepLimit& limit);

/// The same for targets (T, G, 4, 4) of a tree's goals, or within regions: tip in reference [m].
RunStatus searchGoals(const GoalNumbers& numbers, const double* targets, double* memory,
                      SearchArrays arrays, const StepLimit& limit);

}  // namespace generative_ik::search

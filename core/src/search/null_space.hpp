/// Null-space steps: seeds beside known solutions of a redundant chain, along the solution set.
///
/// A seed beside a solution converges back to the solution set in a few iterations, but to another
/// point of it: the local solver takes the shortest step, so nearly all of the displacement along
/// the set remains. Two solutions that were found one from the other show the direction of the
/// set; a further step in that direction begins so near to the set that two or three iterations
/// are enough.
#pragma once

#include "state.hpp"

namespace generative_ik::search {

/// Writes a seed beside a solution of target t to `q`, and counts the solution's visit.
///
/// Returns the solution that it starts from: its index for a step in a known direction, else
/// -1 - index.
std::int64_t nextStep(const SearchArrays& search, std::int64_t t);

/// The solution that a seed of `nextStep` started from.
inline std::int64_t startOf(std::int64_t base) {
  return base >= 0 ? base : -1 - base;
}

/// Queues the steps that continue from the solution `place` that `nextStep` has led to. After a
/// random step, whose `base` is negative, the opposite direction is as good.
void queueSteps(const SearchArrays& search, std::int64_t t, std::int64_t place, std::int64_t base);

}  // namespace generative_ik::search

/// All that a call of the search reads and writes.
#pragma once

#include <cstdint>

#include "../parallel/checkpoint.hpp"
#include "local_problem.hpp"
#include "pool.hpp"
#include "problem.hpp"
#include "push_out.hpp"
#include "records.hpp"

namespace generative_ik::search {

/// A null-space step to take: from a solution, away from one behind it; or -1 where the direction
/// is not known yet.
struct Step {
  std::int32_t base;
  std::int32_t behind;
};

/// The steps to take of all targets.
struct StepQueue {
  Step* steps;        ///< (T, size)
  std::int64_t size;  ///< Q

  [[nodiscard]] Step& at(std::int64_t t, std::int64_t index) const {
    return steps[t * size + index];
  }
};

/// What is the same whichever the local problem; the arrays are the caller's.
struct SearchArrays {
  Box box;
  Seeds seeds;
  Pool pool;
  StepQueue queue;
  Target* targets;  ///< (T)
  /// (T, n) the configuration closest to each target while there is no solution; the nearest
  /// solution during the refinement towards the seed state [rad or m].
  double* closest;
  Lane* lanes;  ///< (kLanes)
  Run* run;
  double* q;                    ///< (n) memory for one configuration.
  const CollisionCheck* check;  ///< Null: nothing is checked.
  const PushOut* push;          ///< Null: solutions that collide are left as they are.

  [[nodiscard]] double* closestTo(std::int64_t t) const { return closest + t * box.size; }
  /// Distances from the seed state.
  [[nodiscard]] Reference reference() const { return {box.reference, box.weights}; }
};

/// How long a call goes on at most; the next one goes on where it stopped.
struct StepLimit {
  // A number of steps is a limit.
  StepLimit(std::int64_t most, parallel::Checkpoint* asked = nullptr)
      : max_steps(most), checkpoint(asked) {}

  std::int64_t max_steps;
  parallel::Checkpoint* checkpoint;  ///< Asked now and then, if there is one.
};

template <LocalProblem Problem>
struct SearchState : SearchArrays {
  SearchState(const Problem& local, const SearchArrays& arrays)
      : SearchArrays(arrays),
        problem(local),
        criteria{run->num_solutions,
                 run->wanted,
                 run->min_restarts,
                 local.redundant() && !run->checks,
                 run->persistence,
                 run->most_restarts,
                 run->traced && local.redundant() && !run->checks} {}

  const Problem& problem;
  StoppingCriteria criteria;
};

}  // namespace generative_ik::search

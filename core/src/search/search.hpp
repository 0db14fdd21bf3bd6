/// The search: seeds are made, refined, verified and kept one by one, in vector lanes.
///
/// Eight seeds are under way at a time. What one leads to is known to the next: a solution is
/// verified and kept as soon as it is found, its target closes as soon as it has enough, and the
/// lane takes the next seed at once.
#pragma once

#include "seeds_in_lanes.hpp"

namespace generative_ik::search {

/// Prepares lanes that have no seed yet, and closes the targets that are out of reach.
template <LocalProblem Problem>
void begin(const SearchState<Problem>& search) {
  Run& run = *search.run;
  search.problem.clear();
  for (int lane = 0; lane < kLanes; ++lane) {
    Lane& state = search.lanes[lane];
    state.target = state.loaded = state.bound = -1;
  }
  if (run.alternatives == 0) {
    for (std::int64_t t = run.first; t < run.last; ++t) {
      search.targets[t].closed = search.targets[t].closed || search.problem.outOfReach(t);
    }
  }
  run.begun = true;
}

/// Why no lane has a seed.
inline RunStatus statusOf(const SearchArrays& search) {
  const bool over =
      std::all_of(search.targets + search.run->first, search.targets + search.run->last,
                  [](const Target& target) { return target.closed; });
  return over ? RunStatus::kOver : RunStatus::kOutOfSeeds;
}

/// Steps between two looks at the clock: with collision checks, which take longest, about 1 ms.
inline constexpr std::int64_t kStepsBetweenLooks = 32;

/// Iterates seeds in all lanes, and replaces those that have ended, until all targets of the run
/// are closed, seeds are lacking, so many steps are taken, or the checkpoint says that it is over.
template <LocalProblem Problem>
RunStatus search(const Problem& problem, const SearchArrays& arrays, const StepLimit& limit) {
  const SearchState<Problem> search(problem, arrays);
  const SeedRows& rows = problem.rows();
  if (!arrays.run->begun) {
    begin(search);
  }
  for (std::int64_t step = 0; step < limit.max_steps; ++step) {
    if (step % kStepsBetweenLooks == kStepsBetweenLooks - 1 && limit.checkpoint != nullptr &&
        limit.checkpoint->isOver()) {
      break;
    }
    problem.measure();
    bool active = false;
    for (int lane = 0; lane < kLanes; ++lane) {
      // Written only when it changes: a row just written lane by lane is slow to load.
      if (rows.moving->lane[lane] == 0.0) {
        rows.moving->lane[lane] = 1.0;
      }
      Lane& state = arrays.lanes[lane];
      if (state.target >= 0) {
        if (!seedEnds(search, lane)) {
          active = true;
          continue;
        }
        state.target = -1;
      }
      if (seedBegins(search, lane)) {
        active = true;
      }
    }
    if (!active) {
      return statusOf(arrays);
    }
    problem.advance(arrays.box.soft_lower, arrays.box.soft_upper);
  }
  return RunStatus::kOutOfSteps;
}

}  // namespace generative_ik::search

/// What a search begins with: the branches of its poses, or solutions on their curves.
#pragma once

#include "../parallel/for_each.hpp"
#include "../search/state.hpp"
#include "branches.hpp"
#include "curve_solutions.hpp"

namespace generative_ik::answers {

/// Some targets of a search.
struct SearchTargets {
  const double* tip_poses;      ///< (T, 4, 4) tip in base [m].
  search::SearchArrays arrays;  ///< Box, pool, targets and run.
  std::int64_t first;
  std::int64_t last;  ///< One beyond the last.
};

/// Puts the branches of poses into the pool, and closes targets that have no other solutions, or
/// enough that are free of collisions, by the library's threads, until there is no more time.
void beginWithBranches(const BranchProblem& problem, const SearchTargets& targets,
                       std::int64_t enough, const parallel::StopWhen& stop);

/// How many solutions on curves a search begins with.
struct CurvesWanted {
  std::int64_t solutions;  ///< To look for at first; more if too many of them collide.
  std::int64_t enough;     ///< That are free of collisions.
  bool keep_all;           ///< Whether all are kept; otherwise the most diverse.
};

/// Puts solutions from all over the curves of poses into the pool, and closes targets that have
/// enough, likewise.
void beginWithCurves(const CurveProblem& problem, const SearchTargets& targets,
                     const CurvesWanted& wanted, const parallel::StopWhen& stop);

}  // namespace generative_ik::answers

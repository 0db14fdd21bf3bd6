/// What is tried for targets whose restarts have found no solution: more seeds are followed to the
/// local minima of their errors (docs/search.md).
#pragma once

#include <vector>

#include "pieces.hpp"

namespace generative_ik::search {

/// Which targets more seeds are for, and where these lie.
struct MoreSeeds {
  TargetProblem problem;
  Box box;
  const double* shift;        ///< (n) of the additive recurrence that they are points of.
  const double* ratios;       ///< (n) likewise.
  std::int64_t alternatives;  ///< See `Run`.
  bool alone;                 ///< Whether the caller's thread moves them without others.
};

/// How solutions of such targets are looked for.
struct UnsolvedSearch {
  Settle settle;
  const bool* periodic;  ///< (n) joints that a full turn, limits aside, leaves where they are.
  bool deficient;        ///< Whether limits trap seeds of targets that can be reached, too.
  /// Squared error below which local minima may be solutions that restarts stopped short of.
  double near;
};

/// Keeps solutions, or else the closest, that more seeds of a run's targets come to: of those
/// whose search is over without any, though they may be in reach. Nothing is begun after the time
/// to stop.
///
/// Returns the targets, in order, that still have none and a closest configuration that is no more
/// than what restarts came across.
std::vector<std::int64_t> approachUnsolved(const MoreSeeds& seeds, const UnsolvedSearch& search,
                                           const SearchArrays& arrays,
                                           const parallel::StopWhen& stop);

/// Moves a configuration (n) to where it is closest to a target of the local minima that it and
/// more seeds come to, if that is closer than it is. Some are looked at even after the time to
/// stop. Args: options: by whose weights errors are compared. gap: how close it is.
void findClosest(const MoreSeeds& seeds, const LaneOptions& options, std::int64_t t, double* q,
                 verify::PoseGap& gap, const parallel::StopWhen& stop);

}  // namespace generative_ik::search

/// What a search is given besides its problem: the box to search, seeds, and when it is over.
#pragma once

#include <cstdint>

namespace generative_ik::search {

/// Where to search: the rows of a (7, n) array.
struct Box {
  std::int64_t size;         ///< n
  const double* lower;       ///< Bounds of solutions, finite [rad or m].
  const double* upper;       ///< Likewise.
  const double* soft_lower;  ///< Bounds of the local solver: infinite for continuous joints, whose
                             ///< ends are the same position.
  const double* soft_upper;  ///< Likewise.
  const double* reference;   ///< From which turns are counted: the seed state, if any.
  const double* stride;      ///< Longest random null-space step.
  const double* weights;     ///< What a rad or m counts in the distance from a seed state; 0
                             ///< without one.

  static constexpr std::int64_t kRows = 7;

  /// The box whose rows these are.
  static Box of(const double* rows, std::int64_t size) {
    return {size,
            rows,
            rows + size,
            rows + 2 * size,
            rows + 3 * size,
            rows + 4 * size,
            rows + 5 * size,
            rows + 6 * size};
  }
};

/// Seeds of random restarts.
struct Seeds {
  const double* given;   ///< (A, count, n) seeds of some targets [rad or m].
  std::int64_t count;    ///< Given to each of them.
  std::int64_t before;   ///< That each of them had before these.
  bool endless;          ///< Whether the points of an additive recurrence follow the given seeds.
  const double* shift;   ///< (n) the recurrence's random shift.
  const double* ratios;  ///< (n) its ratios.
};

/// When the search for a target is over.
struct StoppingCriteria {
  /// Solutions after which it ends.
  std::int64_t num_solutions;
  /// Solutions after which it does not go on where half of what it finds is known, or where all
  /// curves are traced.
  std::int64_t wanted;
  /// Random restarts before which it does not; above 0 with a seed state, and more where no
  /// solution near it was found.
  std::int64_t min_restarts;
  /// Whether solutions form continuous sets, which null-space steps fill.
  bool redundant;
  /// Random restarts, times the closest error, after which a target without a solution is given up
  /// [rad]; 0 if that was not measured.
  double persistence;
  /// After how many it is in any case, if none came very close.
  std::int64_t most_restarts;
  /// Whether these are curves that are traced, see trace.hpp.
  bool traced;
};

}  // namespace generative_ik::search

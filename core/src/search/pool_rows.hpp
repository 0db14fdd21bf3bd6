/// Whole arrays of solutions put into a pool, and taken out of one.
#pragma once

#include "../parallel/checkpoint.hpp"
#include "pool.hpp"

namespace generative_ik::search {

/// Keeps what is new of `count` configurations (n), each for a target, while there is room.
void add(const Pool& pool, const double* rows, const std::int64_t* target_of_row,
         std::int64_t count);

/// Writes that all of so many buckets of cells are empty, by all threads; not all if it is
/// stopped.
void clearBuckets(std::int32_t* heads, std::int64_t count, const parallel::StopWhen& stop);

/// Solutions as a search has found them, which may collide.
struct FoundSolutions {
  std::int64_t num_targets;
  std::int64_t capacity;       ///< C, most solutions of a target.
  std::int64_t size;           ///< n, the numbers of a configuration.
  const double* positions;     ///< (T, C, n) [rad or m]
  const SolutionNotes* notes;  ///< (T, C)
  const std::int64_t* counts;  ///< (T)
};

/// Where the one solution of each target goes.
struct TakenSolutions {
  double* positions;     ///< (T, n) [rad or m], NaN where there is none.
  double* errors;        ///< (T, 2) its distance [m] and angle [rad], likewise.
  std::int64_t* counts;  ///< (T) 1, or 0.
};

/// Copies the first free solution of each target, by all threads; not all if it is stopped.
void takeFirstFree(const FoundSolutions& found, const TakenSolutions& taken,
                   const parallel::StopWhen& stop);

}  // namespace generative_ik::search

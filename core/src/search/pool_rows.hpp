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

/// Copies the first free solution of each target (n), its errors (2), and 1 to its count, if there
/// is one.
void takeFirstFree(const FoundSolutions& found, double* positions, double* errors,
                   std::int64_t* counts);

}  // namespace generative_ik::search

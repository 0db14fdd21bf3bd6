/// Whole arrays of solutions put into a pool, and taken out of one.
#pragma once

#include "../parallel/checkpoint.hpp"
#include "pool.hpp"

namespace generative_ik::search {

/// Keeps what is new of `count` configurations (n), each for a target, while there is room.
void add(const Pool& pool, const double* rows, const std::int64_t* target_of_row,
         std::int64_t count);

/// The first solution of target t that is known to be free of collisions, or -1.
std::int64_t firstFree(const Pool& pool, std::int64_t t);

/// Where the one solution of each target goes.
struct TakenSolutions {
  double* positions;     ///< (T, n) [rad or m], NaN where there is none.
  double* errors;        ///< (T, 2) its distance [m] and angle [rad], likewise.
  std::int64_t* counts;  ///< (T) 1, or 0.
};

/// Copies the first free solution of each target, by all threads; not all if it is stopped.
void takeFirstFree(const Pool& pool, std::int64_t targets, const TakenSolutions& taken,
                   const parallel::StopWhen& stop);

}  // namespace generative_ik::search

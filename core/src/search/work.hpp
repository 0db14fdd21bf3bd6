/// How much work a search was.
#pragma once

#include <cstdint>

#include "records.hpp"

namespace generative_ik::search {

/// Sums over targets.
struct Work {
  std::int64_t restarts = 0;
  std::int64_t null_space_seeds = 0;
  std::int64_t restarts_converged = 0;
  std::int64_t null_space_converged = 0;
  std::int64_t iterations = 0;
  std::int64_t distinct = 0;  ///< Solutions in the pool.

  Work& operator+=(const Work& other) {
    restarts += other.restarts;
    null_space_seeds += other.null_space_seeds;
    restarts_converged += other.restarts_converged;
    null_space_converged += other.null_space_converged;
    iterations += other.iterations;
    distinct += other.distinct;
    return *this;
  }
};

/// Args: solutions: how many there are of each target. By all threads, if these are many.
Work workOf(const Target* targets, const std::int64_t* solutions, std::int64_t count);

}  // namespace generative_ik::search

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
};

Work workOf(const Target* targets, std::int64_t count);

}  // namespace generative_ik::search

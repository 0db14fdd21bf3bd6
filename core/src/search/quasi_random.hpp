/// Seeds that points of the recurrence give in a box, row by row.
#pragma once

#include <cstdint>
#include <vector>

#include "problem.hpp"

namespace generative_ik::search {

/// Where they come from.
struct Recurrence {
  const double* shift;   ///< (n)
  const double* ratios;  ///< (n)
};

/// Seeds (count, n) all over the box, those that come after so many [rad or m].
std::vector<double> seedsAnywhere(const Box& box, const Recurrence& points, std::int64_t before,
                                  std::int64_t count);

/// Seeds (count, n) about the box's reference, which is the first of them. They lie in a box
/// around it that grows from nothing to the whole one, so that the search is densest close to it.
std::vector<double> seedsAround(const Box& box, const Recurrence& points, std::int64_t count);

}  // namespace generative_ik::search

/// Quasi-random points of the unit cube, by which random restarts and null-space steps are drawn.
///
/// Roberts' additive recurrence, shifted at random (Cranley-Patterson): point k is
/// frac(shift + k / g^j) in dimension j = 1..n, where g is the positive root of x^(n+1) = x + 1
/// (M. Roberts, The unreasonable effectiveness of quasirandom sequences, 2018). Unlike Sobol's
/// sequence it needs no tables, has no preferred number of points, and can start at any of them.
#pragma once

#include <cmath>
#include <cstdint>

namespace generative_ik::search {

/// Point `index` of the recurrence in one dimension, from 0 to 1.
inline double recurrencePoint(std::int64_t index, double ratio, double shift = 0.0) {
  const double sum = shift + static_cast<double>(index) * ratio;
  return sum - std::floor(sum);
}

/// Writes the shift (dimensions) that a random seed chooses, which is the one that
/// numpy.random.default_rng(random_seed).random(dimensions) returns, and the ratios (dimensions).
void writeRecurrence(std::uint64_t random_seed, std::int64_t dimensions, double* shift,
                     double* ratios);

}  // namespace generative_ik::search

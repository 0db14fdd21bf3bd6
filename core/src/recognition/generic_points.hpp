/// Points of no special kind, at which what holds in general shows itself.
#pragma once

#include "../search/recurrence.hpp"
#include "joint_axes.hpp"

namespace generative_ik::recognition {

/// Quasi-random configurations (size, count) from -`most` to `most`.
inline Eigen::MatrixXd genericPoints(Eigen::Index size, Eigen::Index count, double most) {
  Vector shift(size);
  Vector ratios(size);
  search::writeRecurrence(0, size, shift.data(), ratios.data());
  Eigen::MatrixXd points(size, count);
  for (Eigen::Index k = 0; k < count; ++k) {
    for (Eigen::Index i = 0; i < size; ++i) {
      points(i, k) = most * (2.0 * search::recurrencePoint(k + 1, ratios[i], shift[i]) - 1.0);
    }
  }
  return points;
}

}  // namespace generative_ik::recognition

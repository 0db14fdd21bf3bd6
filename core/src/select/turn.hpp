/// A joint turned by full turns.
#pragma once

#include "../simd/lanes.hpp"

namespace generative_ik {

/// Turns a joint by full turns to come as near to a reference as its limits allow [rad].
GENERATIVE_IK_INLINE double turnTowards(double q, double reference, double lower, double upper) {
  const double near = q + kTurn * simd::nearestInteger((reference - q) / kTurn);
  if (near > upper) {
    return near - kTurn >= lower ? near - kTurn : upper;
  }
  if (near < lower) {
    return near + kTurn <= upper ? near + kTurn : lower;
  }
  return near;
}

}  // namespace generative_ik

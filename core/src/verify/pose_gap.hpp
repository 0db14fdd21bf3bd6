/// How far a tip is from its target.
#pragma once

#include <algorithm>
#include <cmath>

#include "rodrigues.hpp"

namespace generative_ik::verify {

/// A distance [m] and an angle [rad].
struct Gap {
  double distance;
  double angle;
};

/// A squared distance, and the squared distance of rotations in the Frobenius norm.
template <class Number>
struct SquaredGap {
  Number distance;
  Number chord;
};

template <class A, class B>
GENERATIVE_IK_INLINE auto squaredDistance(const Triple<A>& a, const Triple<B>& b) {
  const auto x = a.x - b.x;
  const auto y = a.y - b.y;
  const auto z = a.z - b.z;
  return x * x + y * y + z * z;
}

/// Measures a tip from a pose (4, 4), given as numbers or lanes of them.
template <class Number, class TargetNumber>
GENERATIVE_IK_INLINE SquaredGap<Number> squaredGap(const Placement<Number>& tip,
                                                   const TargetNumber* pose) {
  Number chord = 0.0;
  for (int i = 0; i < 3; ++i) {
    chord = chord + squaredDistance(tip.row[i], Triple<TargetNumber>{pose[4 * i], pose[4 * i + 1],
                                                                     pose[4 * i + 2]});
  }
  const Triple<TargetNumber> place = {pose[3], pose[7], pose[11]};
  return {squaredDistance(tip.origin, place), chord};
}

inline Gap gapOf(const SquaredGap<double>& squared) {
  // Rotations that differ by an angle differ by sqrt(8) sin(angle / 2) in the Frobenius norm.
  return {std::sqrt(squared.distance),
          2.0 * std::asin(std::min(1.0, std::sqrt(squared.chord / 8.0)))};
}

/// Measures one configuration (variables) from a pose (4, 4).
inline Gap poseGap(const RodriguesChain& chain, const double* q, const double* pose) {
  return gapOf(squaredGap(placeTip(chain, q), pose));
}

}  // namespace generative_ik::verify

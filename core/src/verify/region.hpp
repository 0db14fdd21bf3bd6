/// How far a tip is outside the region about its target.
#pragma once

#include <cmath>
#include <numbers>

#include "rodrigues_tree.hpp"

namespace generative_ik::verify {

/// A region: fourteen numbers.
struct Region {
  static constexpr int kSize = 14;

  const double* numbers;

  /// Bounds of x, y, z [m], roll, pitch and yaw [rad] in the target's frame.
  [[nodiscard]] GENERATIVE_IK_INLINE double lower(int k) const { return numbers[k]; }
  [[nodiscard]] GENERATIVE_IK_INLINE double upper(int k) const { return numbers[6 + k]; }
  /// Whether an axis of the tip is within a cone about the target's, and which: 0, 1 or 2.
  [[nodiscard]] GENERATIVE_IK_INLINE bool isCone() const { return numbers[12] >= 0.0; }
  [[nodiscard]] GENERATIVE_IK_INLINE int coneAxis() const {
    return (numbers[12] >= 0.5 ? 1 : 0) + (numbers[12] >= 1.5 ? 1 : 0);
  }
  [[nodiscard]] GENERATIVE_IK_INLINE double halfAngle() const { return numbers[13]; }
};

/// How far outside its bounds something is [m or rad], and whether it keeps those that leave room.
struct RegionGap {
  double excess;
  bool inside;
};

/// Bounds that leave room are kept to this [m or rad].
inline constexpr double kRounding = 1e-12;

/// The angle of a rotation [rad].
GENERATIVE_IK_INLINE double angleOf(const Frame<double>& frame) {
  const Vector3<double>& x = frame.rows[0];
  const Vector3<double>& y = frame.rows[1];
  const Vector3<double>& z = frame.rows[2];
  const Vector3<double> a = {x.x - 1.0, x.y, x.z};
  const Vector3<double> b = {y.x, y.y - 1.0, y.z};
  const Vector3<double> c = {z.x, z.y, z.z - 1.0};
  return gapOfSquares(0.0, dot(a, a) + dot(b, b) + dot(c, c)).angle;
}

/// The position of a tip; bounds that are narrower than a tolerance are the tolerance's to judge.
GENERATIVE_IK_INLINE RegionGap outsideBox(const Region& region, const Vector3<double>& position,
                                          double tolerance) {
  const double coordinates[] = {position.x, position.y, position.z};  // NOLINT(*-avoid-c-arrays)
  RegionGap gap = {0.0, true};
  for (int k = 0; k < 3; ++k) {
    const double below = region.lower(k) - coordinates[k];
    const double above = coordinates[k] - region.upper(k);
    const double excess = simd::larger(simd::larger(below, above), 0.0);
    const bool wide = region.upper(k) - region.lower(k) > 2.0 * tolerance;
    gap.inside = gap.inside && !(wide && excess > kRounding);
    gap.excess += excess * excess;
  }
  return {std::sqrt(gap.excess), gap.inside};
}

/// The axis of a tip that is within a cone.
GENERATIVE_IK_INLINE RegionGap outsideCone(const Region& region, const Frame<double>& tip,
                                           double tolerance) {
  const int k = region.coneAxis();
  const auto element = [k](const Vector3<double>& row) {
    const double beyond = k == 1 ? row.y : row.z;
    return k == 0 ? row.x : beyond;
  };
  const auto& [x, y, z] = tip.rows;
  const double axis[] = {element(x), element(y), element(z)};  // NOLINT(*-avoid-c-arrays)
  double squared = 0.0;
  for (int i = 0; i < 3; ++i) {
    squared += i == k ? 0.0 : axis[i] * axis[i];
  }
  const double angle = std::atan2(std::sqrt(squared), axis[k]);
  const double excess = simd::larger(angle - region.halfAngle(), 0.0);
  return {excess, excess <= kRounding || region.halfAngle() <= 2.0 * tolerance};
}

/// Roll, pitch and yaw, the nearest ones within the bounds.
struct NearestAngles {
  double angles[3];  // NOLINT(*-avoid-c-arrays)
  double squared;    // squared distance from them
  bool inside;       // whether bounds that leave room are kept
};

GENERATIVE_IK_INLINE NearestAngles nearestAngles(const Region& region, double roll, double pitch,
                                                 double yaw, double tolerance) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  NearestAngles nearest = {{roll, pitch, yaw}, 0.0, true};
  for (int k = 0; k < 3; ++k) {
    const double lower = region.lower(3 + k);
    const double upper = region.upper(3 + k);
    double& angle = nearest.angles[k];
    const double turned = angle - kTurn * std::rint((angle - 0.5 * (lower + upper)) / kTurn);
    angle = simd::clamp(turned, lower, upper);
    const double excess = std::fabs(turned - angle);
    // Where two of the axes are nearly the same, angles can be further off than the rotation.
    const bool wide = upper - lower > 2.0 * tolerance;
    nearest.inside = nearest.inside && excess <= (wide ? kRounding : tolerance);
    nearest.squared += excess * excess;
  }
  return nearest;
}

/// The frame Rz(yaw) Ry(pitch) Rx(roll).
GENERATIVE_IK_INLINE Frame<double> turnedBy(const double* angles) {
  const double sr = std::sin(angles[0]);
  const double cr = std::cos(angles[0]);
  const double sp = std::sin(angles[1]);
  const double cp = std::cos(angles[1]);
  const double sw = std::sin(angles[2]);
  const double cw = std::cos(angles[2]);
  return {{{cw * cp, cw * sp * sr - sw * cr, cw * sp * cr + sw * sr},
           {sw * cp, sw * sp * sr + cw * cr, sw * sp * cr - cw * sr},
           {-sp, cp * sr, cp * cr}},
          {0.0, 0.0, 0.0}};
}

/// The rotation of a tip within bounds of its angles.
GENERATIVE_IK_INLINE RegionGap outsideAngles(const Region& region, const Frame<double>& tip,
                                             double tolerance) {
  constexpr double kPi = std::numbers::pi;
  const Vector3<double>& x = tip.rows[0];
  const Vector3<double>& y = tip.rows[1];
  const Vector3<double>& z = tip.rows[2];
  const double roll = std::atan2(z.y, z.z);
  const double yaw = std::atan2(y.x, x.x);
  const double pitch = std::atan2(-z.x, std::sqrt(x.x * x.x + y.x * y.x));
  const NearestAngles one = nearestAngles(region, roll, pitch, yaw, tolerance);
  // The same rotation has another triple of angles.
  const NearestAngles other = nearestAngles(region, roll + kPi, kPi - pitch, yaw + kPi, tolerance);
  const NearestAngles& nearest = one.squared <= other.squared ? one : other;
  if (nearest.squared == 0.0) {
    return {0.0, true};
  }
  return {angleOf(seenFrom(turnedBy(nearest.angles), tip)), nearest.inside};
}

}  // namespace generative_ik::verify

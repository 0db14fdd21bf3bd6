/// A joint at the end of a chain that is locked, so that six others are left, which have a closed
/// form.
///
/// With joint 1 of an iiwa or joint 7 of a Panda at some angle, the other six joints are an arm
/// whose parameters do not depend on that angle: only the target is turned with it. So all
/// configurations of a pose are the branches of one arm at all angles of the locked joint. The
/// same goes for an arm on a rail or a lift, whose position shifts the target, and for the one
/// coordinate of a region, which is a joint at the tip.
#pragma once

#include <cmath>
#include <cstddef>

#include "../simd/vector3.hpp"

namespace generative_ik::closed_form {

/// Where a tip is in the base: the rows of its rotation, and its origin [m].
template <class Number>
struct TipPose {
  simd::Vector3<Number> rows[3];  // NOLINT(*-avoid-c-arrays)
  simd::Vector3<Number> origin;

  /// Of twelve numbers or more, row by row.
  GENERATIVE_IK_INLINE static TipPose of(const double* pose) {
    const auto row = [pose](std::size_t i) {
      return simd::Vector3<Number>{pose[4 * i], pose[4 * i + 1], pose[4 * i + 2]};
    };
    return {{row(0), row(1), row(2)}, {pose[3], pose[7], pose[11]}};
  }
};

/// Writes a pose (4, 4).
GENERATIVE_IK_INLINE void writePose(const TipPose<double>& pose, double* out) {
  const double places[] = {pose.origin.x, pose.origin.y, pose.origin.z};  // NOLINT(*-c-arrays)
  for (std::size_t i = 0; i < 3; ++i) {
    out[4 * i] = pose.rows[i].x;
    out[4 * i + 1] = pose.rows[i].y;
    out[4 * i + 2] = pose.rows[i].z;
    out[4 * i + 3] = places[i];
    out[12 + i] = 0.0;
  }
  out[15] = 1.0;
}

/// The locked joint. It reads its numbers where they are.
struct LockedJoint {
  /// How many numbers it has, before those of the closed form.
  static constexpr std::size_t kNumbers = 13;
  /// Index where no joint is locked.
  static constexpr int kNone = -1;

  int index;       ///< Among the variables; what is not the first is behind the six others.
  bool prismatic;  ///< Its angles are positions then.
  /// In the base if it is the first, in the tip if it is behind the others.
  simd::Vector3<double> axis;
  simd::Vector3<double> point;  ///< On the axis [m].
  double unit;                  ///< The change of it that counts as 1 rad [rad or m].
  /// If it is prismatic, how far the others bring the tip from the first of them, and where that
  /// one is [m]; infinite if that is not known.
  double reach;
  simd::Vector3<double> start;

  static LockedJoint of(const double* numbers) {
    const auto vector = [numbers](int first) {
      return simd::Vector3<double>{numbers[first], numbers[first + 1], numbers[first + 2]};
    };
    return {static_cast<int>(numbers[0]),
            numbers[7] != 0.0,
            vector(1),
            vector(4),
            numbers[8],
            numbers[9],
            vector(10)};
  }

  [[nodiscard]] GENERATIVE_IK_INLINE bool isFirst() const { return index == 0; }
  /// Variable of the first of the six others.
  [[nodiscard]] GENERATIVE_IK_INLINE int firstOther() const { return isFirst() ? 1 : 0; }
};

/// How much a joint at the tip has to move, at most, where another moves by 1 rad or m.
GENERATIVE_IK_INLINE double leverOf(const LockedJoint& joint) {
  // The unit of a prismatic joint is half of the arm's length, or less.
  constexpr double kLever = 2.0;
  const double lever = kLever * joint.unit;
  return joint.prismatic && lever > 1.0 ? lever : 1.0;
}

/// The axis of a locked prismatic joint in the base.
GENERATIVE_IK_INLINE simd::Vector3<double> directionOf(const LockedJoint& joint,
                                                       const TipPose<double>& pose) {
  if (joint.isFirst()) {
    return joint.axis;
  }
  return {dot(pose.rows[0], joint.axis), dot(pose.rows[1], joint.axis),
          dot(pose.rows[2], joint.axis)};
}

/// Bounds of the locked joint [rad or m].
struct LockedBounds {
  double lower, upper;
};

/// The bounds between which the others may reach the tip; the lower one twice if nowhere.
GENERATIVE_IK_INLINE LockedBounds boundsWithinReach(const LockedJoint& joint,
                                                    const TipPose<double>& pose,
                                                    const LockedBounds& bounds) {
  // The reach is longer by this share, for lines that are moved.
  constexpr double kSlack = 1e-3;
  if (!joint.prismatic || !(joint.reach < __builtin_inf())) {
    return bounds;
  }
  const double reach = joint.reach * (1.0 + kSlack);
  const simd::Vector3<double> to_tip = pose.origin - joint.start;
  const double nearest = dot(to_tip, directionOf(joint, pose));
  const double square = reach * reach - (dot(to_tip, to_tip) - nearest * nearest);
  const double half = square > 0.0 ? __builtin_sqrt(square) : 0.0;
  const double first = simd::larger(bounds.lower, nearest - half);
  const double last = simd::smaller(bounds.upper, nearest + half);
  return square > 0.0 && first < last ? LockedBounds{first, last}
                                      : LockedBounds{bounds.lower, bounds.lower};
}

/// A row times the matrix of three other rows.
template <class A, class B>
GENERATIVE_IK_INLINE simd::Vector3<simd::Common<A, B>> combined(const simd::Vector3<A>& row,
                                                                const simd::Vector3<B>* rows) {
  return row.x * rows[0] + row.y * rows[1] + row.z * rows[2];
}

/// Where the six others have to bring the tip when a locked revolute joint is at an angle.
template <class Number>
GENERATIVE_IK_INLINE TipPose<Number> poseWithoutTurn(const LockedJoint& joint,
                                                     const TipPose<Number>& pose,
                                                     const simd::Angle<Number>& angle) {
  using simd::Vector3;
  const auto& [x, y, z] = joint.axis;
  const Number c = angle.cosine;
  const Number s = -angle.sine;
  const Number rest = 1.0 - c;
  // NOLINTNEXTLINE(*-avoid-c-arrays)
  const Vector3<Number> turn[] = {
      {c + rest * (x * x), rest * (x * y) - s * z, rest * (x * z) + s * y},
      {rest * (y * x) + s * z, c + rest * (y * y), rest * (y * z) - s * x},
      {rest * (z * x) - s * y, rest * (z * y) + s * x, c + rest * (z * z)}};
  const Vector3<double>& point = joint.point;
  const Vector3<Number> shift = {point.x - dot(turn[0], point), point.y - dot(turn[1], point),
                                 point.z - dot(turn[2], point)};
  if (joint.isFirst()) {
    const Vector3<Number> moved = {dot(turn[0], pose.origin), dot(turn[1], pose.origin),
                                   dot(turn[2], pose.origin)};
    return {
        {combined(turn[0], pose.rows), combined(turn[1], pose.rows), combined(turn[2], pose.rows)},
        moved + shift};
  }
  return {
      {combined(pose.rows[0], turn), combined(pose.rows[1], turn), combined(pose.rows[2], turn)},
      {pose.origin.x + dot(pose.rows[0], shift), pose.origin.y + dot(pose.rows[1], shift),
       pose.origin.z + dot(pose.rows[2], shift)}};
}

/// Where the six others have to bring the tip when the locked joint is at an angle [rad or m].
inline TipPose<double> poseWithout(const LockedJoint& joint, const TipPose<double>& pose,
                                   double angle) {
  if (joint.prismatic) {
    return {{pose.rows[0], pose.rows[1], pose.rows[2]},
            pose.origin - angle * directionOf(joint, pose)};
  }
  return poseWithoutTurn<double>(joint, pose, {std::cos(angle), std::sin(angle)});
}

}  // namespace generative_ik::closed_form

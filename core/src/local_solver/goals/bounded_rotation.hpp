/// How far a rotation is outside a region's bounds, and about which axes it is constrained.
///
/// Task space regions are those of D. Berenson, S. Srinivasa, J. Kuffner, Task Space Regions,
/// IJRR 30(12), 2011.
#pragma once

#include "../../simd/constants.hpp"
#include "../lane_view.hpp"
#include "goal_tree.hpp"

namespace generative_ik {

using simd::Axes;
using simd::Frame;
using simd::MaskOf;
using simd::Quaternion;
using simd::select;
using simd::Vector3;

/// The rotation from the tip to the nearest one inside the bounds.
template <class Number>
struct RotationGap {
  Vector3<Number> error;    // axis times chord, along the three axes [rad]
  Vector3<Number> axes[3];  // NOLINT(*-avoid-c-arrays): constrained about them; 0 where free
  Number chord;             // 2 sin(angle / 2) of the rotation [rad]
};

template <class Number>
GENERATIVE_IK_INLINE RotationGap<Number> select(const MaskOf<Number>& condition,
                                                const RotationGap<Number>& a,
                                                const RotationGap<Number>& b) {
  return {select(condition, a.error, b.error),
          {select(condition, a.axes[0], b.axes[0]), select(condition, a.axes[1], b.axes[1]),
           select(condition, a.axes[2], b.axes[2])},
          select(condition, a.chord, b.chord)};
}

/// A unit vector perpendicular to a unit vector.
template <class Number>
GENERATIVE_IK_INLINE Vector3<Number> anyPerpendicular(const Vector3<Number>& a) {
  const Number zero = 0.0;
  // Crossed with z, unless it is close to z, else with x.
  const Vector3<Number> across =
      select(simd::absolute(a.z) < Number(0.9), Vector3<Number>{a.y, -a.x, zero},
             Vector3<Number>{zero, a.z, -a.y});
  return (1.0 / lengthOf(across)) * across;
}

/// The axis of a frame that three rows of a region choose.
template <class Number>
GENERATIVE_IK_INLINE Vector3<Number> axisOfCone(const Vector3<Number>& choice,
                                                const Axes<Number>& axes) {
  return choice.x * axes.x + choice.y * axes.y + choice.z * axes.z;
}

/// Measures against a cone about an axis of the target; `region` is where the region's rows are.
template <class Number>
GENERATIVE_IK_INLINE RotationGap<Number> gapToCone(const LaneView<Number>& view,
                                                   const LaneRow* region,
                                                   const Axes<Number>& target,
                                                   const Axes<Number>& tip) {
  const Number zero = 0.0;
  const Number one = 1.0;
  const Vector3<Number> choice = view.vector(region + RegionRow::kAxis);
  const Vector3<Number> a = axisOfCone(choice, tip);
  const Vector3<Number> b = axisOfCone(choice, target);
  const Number cosine = dot(a, b);
  const Vector3<Number> across = cross(a, b);
  const Number sine = lengthOf(across);
  // The sine is exact where the angle is small, the cosine where it is not.
  const Number half_cosine =
      simd::squareRoot(select(Number(-1.0) < cosine, 0.5 * (cosine + 1.0), zero));
  const Number half_sine =
      select(zero < cosine, sine / (2.0 * select(Number(0.5) < half_cosine, half_cosine, 0.5)),
             simd::squareRoot(select(cosine < one, 0.5 * (1.0 - cosine), zero)));
  const MaskOf<Number> apart = Number(1e-15) < sine;
  const Vector3<Number> normal =
      select(apart, (1.0 / select(apart, sine, one)) * across, anyPerpendicular(a));
  const Number cone_cosine = view.load(region + RegionRow::kHalf);
  const Number cone_sine = view.load(region + RegionRow::kHalf + 1);
  const Number excess = 2.0 * (half_sine * cone_cosine - half_cosine * cone_sine);
  // An open cone constrains the axis only outside, and only one way; one without width both ways.
  const Number closed = select(zero < cone_sine, zero, one);
  const MaskOf<Number> outside = zero < excess;
  const Number error = select(outside, excess, zero);
  return {{error, zero, zero},
          {select(outside, one, closed) * normal, closed * cross(normal, a), {zero, zero, zero}},
          error};
}

/// An angle beside its bounds.
template <class Number>
struct BoundedAngle {
  Number inside;   // the nearest angle within the bounds [rad]
  Number squared;  // squared distance from it
  Number free;     // 1 if it is strictly inside, else 0
};

template <class Number>
GENERATIVE_IK_INLINE BoundedAngle<Number> select(const MaskOf<Number>& condition,
                                                 const BoundedAngle<Number>& a,
                                                 const BoundedAngle<Number>& b) {
  return {select(condition, a.inside, b.inside), select(condition, a.squared, b.squared),
          select(condition, a.free, b.free)};
}

template <class Number>
GENERATIVE_IK_INLINE BoundedAngle<Number> bounded(const Number& angle, const Number& lower,
                                                  const Number& upper) {
  const Number turns = simd::nearestInteger((angle - 0.5 * (lower + upper)) * (1.0 / kTurn));
  const Number turned = angle - turns * kTurn;
  const Number inside = simd::clamp(turned, lower, upper);
  const Number excess = turned - inside;
  const MaskOf<Number> free = simd::both(lower < turned, turned < upper);
  return {inside, excess * excess, select(free, Number(1.0), Number(0.0))};
}

/// Roll, pitch and yaw of Rz(yaw) Ry(pitch) Rx(roll), as far as they are within bounds.
template <class Number>
struct BoundedAngles {
  BoundedAngle<Number> roll, pitch, yaw;

  [[nodiscard]] GENERATIVE_IK_INLINE Number squared() const {
    return roll.squared + pitch.squared + yaw.squared;
  }
};

template <class Number>
GENERATIVE_IK_INLINE BoundedAngles<Number> bounded(const LaneView<Number>& view,
                                                   const LaneRow* region, const Number& roll,
                                                   const Number& pitch, const Number& yaw) {
  const Vector3<Number> lower = view.vector(region + RegionRow::kAngles);
  const Vector3<Number> upper = view.vector(region + RegionRow::kAngles + 3);
  return {bounded(roll, lower.x, upper.x), bounded(pitch, lower.y, upper.y),
          bounded(yaw, lower.z, upper.z)};
}

/// Of the two triples of angles that are the rotation of the tip, the one nearer to the bounds.
template <class Number>
GENERATIVE_IK_INLINE BoundedAngles<Number> nearestAngles(const LaneView<Number>& view,
                                                         const LaneRow* region,
                                                         const Axes<Number>& target,
                                                         const Axes<Number>& tip) {
  const Number cosine = dot(target.x, tip.x);
  const Number sine = dot(target.y, tip.x);
  const auto roll = simd::radiansOf<Number>(dot(target.z, tip.z), dot(target.z, tip.y));
  const Number yaw = simd::radiansOf(cosine, sine);
  const auto pitch = simd::radiansOf<Number>(simd::squareRoot(cosine * cosine + sine * sine),
                                             -dot(target.z, tip.x));
  const BoundedAngles<Number> one = bounded(view, region, roll, pitch, yaw);
  const BoundedAngles<Number> other =
      bounded<Number>(view, region, roll + kPi, kPi - pitch, yaw + kPi);
  const MaskOf<Number> nearer = other.squared() < one.squared();
  return {select(nearer, other.roll, one.roll), select(nearer, other.pitch, one.pitch),
          select(nearer, other.yaw, one.yaw)};
}

/// Measures against bounds of roll, pitch and yaw in the target's frame.
template <class Number>
GENERATIVE_IK_INLINE RotationGap<Number> gapToAngles(const LaneView<Number>& view,
                                                     const LaneRow* region,
                                                     const Quaternion<Number>& target,
                                                     const Quaternion<Number>& tip) {
  const Number zero = 0.0;
  const Axes<Number> target_axes = axesOf(target);
  const auto [roll, pitch, yaw] = nearestAngles(view, region, target_axes, axesOf(tip));
  Number sine = 0.0;
  Number cosine = 0.0;
  simd::halfAngle(yaw.inside, sine, cosine);
  const Quaternion<Number> yawed = product(target, {zero, zero, sine, cosine});
  simd::halfAngle(pitch.inside, sine, cosine);
  const Quaternion<Number> pitched = product(yawed, {zero, sine, zero, cosine});
  simd::halfAngle(roll.inside, sine, cosine);
  const Quaternion<Number> nearest = product(pitched, {sine, zero, zero, cosine});
  const Vector3<Number> error = chordBetween(tip, nearest);
  const Vector3<Number> pitch_axis = axesOf(yawed).y;
  // Within the plane of the other two axes, what is perpendicular to the free one is constrained.
  const Vector3<Number> other = select(yaw.free < roll.free, axesOf(nearest).x, target_axes.z);
  const Vector3<Number> first = (1.0 - pitch.free) * pitch_axis;
  const Vector3<Number> second = ((1.0 - roll.free) * (1.0 - yaw.free)) * other;
  const Vector3<Number> third = (1.0 - roll.free * yaw.free) * cross(pitch_axis, other);
  return {{dot(error, first), dot(error, second), dot(error, third)},
          {first, second, third},
          lengthOf(error)};
}

}  // namespace generative_ik

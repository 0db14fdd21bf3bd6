/// Poses of a region side by side, as a template over the number type.
#pragma once

#include "placed_poses.hpp"

namespace generative_ik::regions {

using closed_form::TipPose;
using simd::Angle;
using simd::Vector3;

inline constexpr double kFullTurn = 6.283185307179586;

/// A rotation by its columns.
template <class Number>
struct Columns {
  Vector3<Number> x, y, z;
};

/// Turns columns about a unit axis.
template <class Axis, class Number>
GENERATIVE_IK_INLINE void turnColumns(const Vector3<Axis>& axis, const Angle<Number>& angle,
                                      Columns<Number>& columns) {
  columns.x = turn(axis, angle, columns.x);
  columns.y = turn(axis, angle, columns.y);
  columns.z = turn(axis, angle, columns.z);
}

/// Coordinate i of points of the sequence, from 0 to 1.
template <class Number>
GENERATIVE_IK_INLINE Number coordinateOf(const PoseSequence& sequence, const Number& which,
                                         int i) {
  const Number value = (which + 1.0) * sequence.ratio[i] + sequence.shift[i];
  const Number whole = simd::nearestInteger(value);
  return value - select(value < whole, whole - 1.0, whole);
}

GENERATIVE_IK_INLINE Vector3<double> unitAxis(int k) {
  return {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0};
}

/// Rotations of a region, tip in target.
template <class Number>
GENERATIVE_IK_INLINE Columns<Number> rotationsOf(const PoseSequence& sequence,
                                                 const Number& which) {
  const Number zero = 0.0;
  const Number one = 1.0;
  Columns<Number> columns = {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}};
  if (sequence.rotation == RotationKind::kExact) {
    return columns;
  }
  const auto coordinate = [&](int i) { return coordinateOf(sequence, which, i); };
  const auto whole_turn = [&](int i) { return simd::angleOf(coordinate(i) * kFullTurn); };
  if (sequence.rotation == RotationKind::kAngles) {
    for (int i = 3; i < 6; ++i) {
      const double lower = sequence.lower[i];
      const double room = sequence.upper[i] - lower;
      if (lower != 0.0 || room != 0.0) {
        turnColumns(unitAxis(i - 3), simd::angleOf(coordinate(i) * room + lower), columns);
      }
    }
    return columns;
  }
  if (sequence.rotation == RotationKind::kFree) {
    // Turns about z, then y, then z again, that reach all rotations alike.
    const Number b = coordinate(4);
    const Angle<Number> tilt = {b * 2.0 - 1.0, squareRoot(b * (1.0 - b)) * 2.0};
    turnColumns(unitAxis(2), whole_turn(3), columns);
    turnColumns(unitAxis(1), tilt, columns);
    turnColumns(unitAxis(2), whole_turn(5), columns);
    return columns;
  }
  const Vector3<double> axis = unitAxis(sequence.cone_axis);
  turnColumns(axis, whole_turn(3), columns);
  if (sequence.cosine != 1.0) {
    const Number level = 1.0 - coordinate(5) * (1.0 - sequence.cosine);
    // 1 - level^2, which is none where rounding leaves a little less.
    const Angle<Number> tilt = {level, squareRoot(simd::absolute((1.0 - level) * (1.0 + level)))};
    const Vector3<double> aside = unitAxis((sequence.cone_axis + 1) % 3);
    turnColumns(turn(axis, whole_turn(4), aside), tilt, columns);
  }
  return columns;
}

/// Poses of the region about a target: tip in base.
template <class Number>
GENERATIVE_IK_INLINE TipPose<Number> posesOf(const RegionAbout& region, const Number& which) {
  const PoseSequence& sequence = *region.sequence;
  const Columns<Number> turned = rotationsOf(sequence, which);
  const auto along = [&](int i) {
    return coordinateOf(sequence, which, i) * (region.upper[i] - region.lower[i]) +
           region.lower[i];
  };
  const Vector3<Number> place = {along(0), along(1), along(2)};
  const auto row = [&turned](const Vector3<double>& r) {
    return Vector3<Number>{dot(r, turned.x), dot(r, turned.y), dot(r, turned.z)};
  };
  return {{row(region.rotation.x), row(region.rotation.y), row(region.rotation.z)},
          region.rotation * place + region.origin};
}

/// What a `PlaceKernel` does.
template <class Number>
void placePoses(const RegionAbout& region, const TurnedAway& turned, EightPoses& poses) {
  constexpr int kAtOnce = simd::kWidth<Number>;
  for (int first = 0; first < EightPoses::kCount; first += kAtOnce) {
    const auto which = simd::load<Number>(poses.which + first);
    TipPose<Number> pose = posesOf(region, which);
    const Number share = coordinateOf(*region.sequence, which, PoseSequence::kOwnCoordinate);
    if (turned.joint != nullptr) {
      const Number angle = share * (turned.upper - turned.lower) + turned.lower;
      pose = closed_form::poseWithoutTurn(*turned.joint, pose, simd::angleOf(angle));
    }
    for (int i = 0; i < 3; ++i) {
      simd::store(poses.rows[3 * i] + first, pose.rows[i].x);
      simd::store(poses.rows[3 * i + 1] + first, pose.rows[i].y);
      simd::store(poses.rows[3 * i + 2] + first, pose.rows[i].z);
    }
    simd::store(poses.origin[0] + first, pose.origin.x);
    simd::store(poses.origin[1] + first, pose.origin.y);
    simd::store(poses.origin[2] + first, pose.origin.z);
    simd::store(poses.share + first, share);
  }
}

}  // namespace generative_ik::regions

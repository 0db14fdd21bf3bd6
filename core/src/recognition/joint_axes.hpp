/// The joint axes of a chain as lines in space, and how they lie to each other.
#pragma once

#include <Eigen/Geometry>
#include <generative_ik/chain.hpp>
#include <initializer_list>

namespace generative_ik::recognition {

/// Axes no further than this from parallel [rad], or from intersecting [shares of the arm's
/// length], count as such: descriptions round their angles to 1e-5, and steps of a local solver
/// make up for it.
inline constexpr double kNear = 5e-5;

using Vector3 = Eigen::Vector3d;
using Vectors = Eigen::Matrix3Xd;  ///< One in each column.
using Indices = std::initializer_list<int>;

/// The point nearest to some axes [m], and how far these are from it [shares of the length];
/// infinitely far where all are parallel.
struct Meeting {
  Vector3 point;
  double apart;
};

/// The lines of the joint axes when all joints are at zero.
struct JointAxes {
  Vectors directions;     ///< Unit vectors in the base.
  Vectors points;         ///< On each axis [m]; of prismatic joints it is of no meaning.
  Eigen::Isometry3d tip;  ///< In the base [m].
  double length;  ///< From joint to joint, and how far prismatic ones move [m]; 1 if that is zero.
  Vector travel;  ///< How far prismatic joints move from zero at the most [m]; NaN of others.
  /// By how much lines were moved to be exactly parallel or perpendicular [rad] or to intersect
  /// exactly [shares of the length].
  double moved = 0.0;

  /// The axes of a chain of independent joints.
  static JointAxes of(const Chain& chain);

  [[nodiscard]] bool isPrismatic(int joint) const;
  [[nodiscard]] bool anyPrismatic() const;

  /// The others, as long as the whole arm; as they are if a prismatic one goes.
  [[nodiscard]] JointAxes without(int joint) const;
  /// The axes from the tip on; the joints make the opposite motion of base against tip.
  [[nodiscard]] JointAxes mirrored() const;

  [[nodiscard]] bool areParallel(int first, int second) const;
  [[nodiscard]] bool arePerpendicular(int first, int second) const;
  [[nodiscard]] Meeting meeting(Indices joints) const;
  /// Whether axes intersect in one point.
  [[nodiscard]] bool meet(Indices joints) const { return meeting(joints).apart < kNear; }

  /// The lines with the point nearest to some as theirs.
  [[nodiscard]] JointAxes madeToMeet(Indices joints) const;
  /// The lines with one direction, or its opposite, for some that are parallel.
  [[nodiscard]] JointAxes madeParallel(Indices joints) const;
  /// The lines with an axis at right angles to another that nearly is.
  [[nodiscard]] JointAxes madePerpendicular(int first, int second) const;
};

/// How long an arm is, see `JointAxes`.
double lengthOf(const Vectors& points, const Vector& travel);

}  // namespace generative_ik::recognition

/// How a joint moves what it carries, for forward kinematics and geometric Jacobians.
#pragma once

#include <generative_ik/chain.hpp>

namespace generative_ik {

/// Moves a joint's frame in the base to where the joint stands.
inline void moveJoint(const Joint& joint, double variable, Eigen::Isometry3d& joint_in_base) {
  const double position = joint.multiplier * variable + joint.offset;
  if (joint.type == Joint::Type::kRevolute) {
    joint_in_base.rotate(Eigen::AngleAxisd(position, joint.axis));
  } else {
    joint_in_base.translate(position * joint.axis);
  }
}

/// Adds a joint's motion, times a sign, to a Jacobian (6, variables) of the base's origin, as if
/// that were carried by all joints.
inline void addMotion(const Joint& joint, const Eigen::Isometry3d& joint_in_base, double sign,
                      Jacobian& jacobian) {
  const Eigen::Vector3d axis_in_base =
      sign * joint.multiplier * (joint_in_base.linear() * joint.axis);
  auto column = jacobian.col(joint.variable);
  if (joint.type == Joint::Type::kRevolute) {
    // A rotation about an axis through p moves the origin by axis x -p.
    column.head<3>() += joint_in_base.translation().cross(axis_in_base);
    column.tail<3>() += axis_in_base;
  } else {
    column.head<3>() += axis_in_base;
  }
}

/// Makes a Jacobian of the base's origin one of another point, which is carried along.
inline void carryTo(const Eigen::Vector3d& point_in_base, Jacobian& jacobian) {
  for (Eigen::Index i = 0; i < jacobian.cols(); ++i) {
    const Eigen::Vector3d angular = jacobian.col(i).tail<3>();
    jacobian.col(i).head<3>() += angular.cross(point_in_base);
  }
}

}  // namespace generative_ik

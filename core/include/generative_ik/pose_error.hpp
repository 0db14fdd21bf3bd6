/// Pose errors and tolerances.
#pragma once

#include <generative_ik/chain.hpp>

namespace generative_ik {

struct Tolerance {
  double position = 1e-5;     ///< [m]; inf: position is free
  double orientation = 1e-5;  ///< [rad]; inf: orientation is free
};

/// Translation and rotation vector from the tip to the target, in the base frame [m, rad].
Twist poseError(const Eigen::Isometry3d& tip_in_base, const Eigen::Isometry3d& target_in_base);

/// The pose that lies a translation and rotation vector from another one: of what poseError gives,
/// the target.
Eigen::Isometry3d movedBy(const Eigen::Isometry3d& pose_in_base, const Twist& motion);

/// Whether an error is within a tolerance, up to rounding (1e-9).
bool isWithin(const Twist& error, const Tolerance& tolerance);

}  // namespace generative_ik

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

/// Whether an error is within a tolerance, up to rounding (1e-9).
bool isWithin(const Twist& error, const Tolerance& tolerance);

}  // namespace generative_ik

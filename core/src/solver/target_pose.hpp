/// Targets that a caller gives.
#pragma once

#include <Eigen/Geometry>

namespace generative_ik {

/// The pose that a target is. A rotation that was rounded to three digits or more, as 0.707 for
/// the root of 1/2, stands for the nearest one, as in Python.
///
/// Throws std::invalid_argument if a number is not finite, the last row is not 0 0 0 1, or the
/// rotation is none.
Eigen::Isometry3d targetPose(const Eigen::Isometry3d& target_in_base);

}  // namespace generative_ik

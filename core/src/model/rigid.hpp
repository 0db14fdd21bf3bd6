/// Whether a transform is rigid.
#pragma once

#include <Eigen/Geometry>

namespace generative_ik {

/// Whether all numbers are finite, and the rotation is one to six digits.
inline bool isRigid(const Eigen::Isometry3d& pose) {
  constexpr double kRounding = 1e-6;
  const Eigen::Matrix3d rotation = pose.linear();
  const double defect =
      (rotation * rotation.transpose() - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff();
  return pose.matrix().allFinite() && defect <= kRounding && rotation.determinant() > 0.0;
}

}  // namespace generative_ik

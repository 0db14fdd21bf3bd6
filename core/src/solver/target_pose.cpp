#include "target_pose.hpp"

#include <Eigen/SVD>
#include <stdexcept>

#include "../verify/pose_check.hpp"

namespace generative_ik {
namespace {

// Products of rows of a rotation that was rounded are off by this at the most, and of one that is
// as exact as can be.
constexpr double kRounded = 2e-3;
constexpr double kExact = 1e-12;

}  // namespace

Eigen::Isometry3d targetPose(const Eigen::Isometry3d& target_in_base) {
  const Eigen::Matrix<double, 4, 4, Eigen::RowMajor> rows = target_in_base.matrix();
  const verify::PoseDefect defect = verify::poseDefect(rows.data());
  if (!defect.finite) {
    throw std::invalid_argument(
        "a target has a number that is not finite, or a last row that is not 0 0 0 1");
  }
  if (defect.reflected || !(defect.orthonormality <= kRounded)) {
    throw std::invalid_argument("the rotation of a target is no rotation matrix");
  }
  if (defect.orthonormality <= kExact) {
    return target_in_base;
  }
  const Eigen::JacobiSVD<Eigen::Matrix3d> parts(target_in_base.linear(),
                                                Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::Isometry3d pose = target_in_base;
  pose.linear() = parts.matrixU() * parts.matrixV().transpose();
  return pose;
}

}  // namespace generative_ik

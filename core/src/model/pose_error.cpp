#include <cmath>
#include <generative_ik/pose_error.hpp>

namespace generative_ik {
namespace {

constexpr double kRounding = 1e-9;

}  // namespace

Twist poseError(const Eigen::Isometry3d& tip_in_base, const Eigen::Isometry3d& target_in_base) {
  const Eigen::AngleAxisd rotation(
      Eigen::Quaterniond(target_in_base.linear() * tip_in_base.linear().transpose()));
  Twist error;
  error.head<3>() = target_in_base.translation() - tip_in_base.translation();
  error.tail<3>() = rotation.angle() * rotation.axis();
  return error;
}

bool isWithin(const Twist& error, const Tolerance& tolerance) {
  return error.head<3>().norm() <= tolerance.position + kRounding &&
         error.tail<3>().norm() <= tolerance.orientation + kRounding;
}

}  // namespace generative_ik

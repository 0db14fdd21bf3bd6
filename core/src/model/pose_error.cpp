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

Eigen::Isometry3d movedBy(const Eigen::Isometry3d& pose_in_base, const Twist& motion) {
  // By way of a quaternion, the rotation stays one to rounding after any number of motions.
  const double angle = motion.tail<3>().norm();
  const double factor = angle > 0.0 ? std::sin(0.5 * angle) / angle : 0.5;
  Eigen::Quaterniond rotation;
  rotation.w() = std::cos(0.5 * angle);
  rotation.vec() = factor * motion.tail<3>();
  Eigen::Isometry3d moved = pose_in_base;
  moved.linear() = rotation.toRotationMatrix() * pose_in_base.linear();
  moved.translation() += motion.head<3>();
  return moved;
}

bool isWithin(const Twist& error, const Tolerance& tolerance) {
  return error.head<3>().norm() <= tolerance.position + kRounding &&
         error.tail<3>().norm() <= tolerance.orientation + kRounding;
}

}  // namespace generative_ik

#include "packed_joints.hpp"

#include "lane_problem.hpp"
#include "pose_numbers.hpp"

namespace generative_ik {
namespace {

using PoseRows = Eigen::Matrix<double, 4, 4, Eigen::RowMajor>;
using RotationRows = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

template <class Matrix>
void appendNumbers(const Matrix& matrix, std::vector<double>& numbers) {
  numbers.insert(numbers.end(), matrix.data(), matrix.data() + matrix.size());
}

}  // namespace

Eigen::Matrix3d frameWithZ(const Eigen::Vector3d& axis) {
  Eigen::Index least = 0;
  axis.cwiseAbs().minCoeff(&least);
  const Eigen::Vector3d x = Eigen::Vector3d::Unit(least).cross(axis).normalized();
  Eigen::Matrix3d frame;
  frame << x, axis.cross(x), axis;
  return frame;
}

void appendPose(const Eigen::Isometry3d& pose, std::vector<double>& numbers) {
  appendNumbers(PoseRows(pose.matrix()), numbers);
}

Eigen::Isometry3d readPose(const double* rows) {
  Eigen::Isometry3d pose;
  pose.matrix() = Eigen::Map<const PoseRows>(rows);
  return pose;
}

void appendSolverPose(const Eigen::Isometry3d& pose, std::vector<double>& numbers) {
  const PoseRows rows = pose.matrix();
  std::array<double, kPoseNumbers> found{};
  poseNumbers(rows.data(), found.data());
  numbers.insert(numbers.end(), found.begin(), found.end());
}

void RodriguesJoints::add(const Eigen::Isometry3d& joint_in_parent, const Eigen::Vector3d& axis) {
  const RotationRows rotation = joint_in_parent.linear();
  RotationRows cross;
  cross << 0.0, -axis.z(), axis.y(), axis.z(), 0.0, -axis.x(), -axis.y(), axis.x(), 0.0;
  appendNumbers(rotation, parts_[0]);
  appendNumbers(RotationRows(rotation * cross), parts_[1]);
  appendNumbers(RotationRows(rotation * cross * cross), parts_[2]);
  appendNumbers(Eigen::Vector3d(joint_in_parent.translation()), parts_[3]);
  appendNumbers(Eigen::Vector3d(rotation * axis), parts_[4]);
}

void RodriguesJoints::add(const double* joints, std::size_t count) {
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const double* end = joints + kSizes.at(part) * count;
    parts_.at(part).insert(parts_.at(part).end(), joints, end);
    joints = end;
  }
}

void RodriguesJoints::appendTo(std::vector<double>& numbers) const {
  for (const std::vector<double>& part : parts_) {
    numbers.insert(numbers.end(), part.begin(), part.end());
  }
}

}  // namespace generative_ik

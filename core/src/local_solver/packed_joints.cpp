#include "packed_joints.hpp"

#include <cmath>

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

// Sines of the angle between axes from which on they are not called nearly parallel, and below
// which they are called parallel.
constexpr double kSkew = 0.1;
constexpr double kParallel = 1e-12;
// Numbers of a pose that are smaller are what rounding has left of 0.
constexpr double kLeftOfZero = 1e-15;

}  // namespace

NextAxis alignWithNext(const Eigen::Isometry3d& next) {
  const Eigen::Vector3d z = next.linear().col(2);
  const Eigen::Vector3d way = next.translation();
  const double sine = std::hypot(z.x(), z.y());
  if (sine < kParallel) {
    return {std::atan2(way.y(), way.x()), 0.0};
  }
  const double turn = std::atan2(z.x(), -z.y());
  const double along_y = std::cos(turn) * way.y() - std::sin(turn) * way.x();
  return {turn, sine < kSkew ? 0.0 : along_y / sine};
}

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
  for (double& number : found) {
    number = std::abs(number) < kLeftOfZero ? 0.0 : number;
  }
  numbers.insert(numbers.end(), found.begin(), found.end());
}

void RodriguesJoints::add(const Eigen::Isometry3d& joint_in_parent, const Eigen::Vector3d& axis,
                          double offset) {
  const RotationRows rotation = joint_in_parent.linear();
  RotationRows cross;
  cross << 0.0, -axis.z(), axis.y(), axis.z(), 0.0, -axis.x(), -axis.y(), axis.x(), 0.0;
  appendNumbers(rotation, parts_[0]);
  appendNumbers(RotationRows(rotation * cross), parts_[1]);
  appendNumbers(RotationRows(rotation * cross * cross), parts_[2]);
  appendNumbers(Eigen::Vector3d(joint_in_parent.translation()), parts_[3]);
  appendNumbers(Eigen::Vector3d(rotation * axis), parts_[4]);
  parts_[5].push_back(offset);
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

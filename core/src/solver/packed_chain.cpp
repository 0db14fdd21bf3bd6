#include "packed_chain.hpp"

#include <algorithm>
#include <cmath>

#include "../simd/constants.hpp"

namespace generative_ik {
namespace {

// Seeds are iterated a little further than tolerances ask for, which covers rounding.
constexpr double kMargin = 1.0 - 1e-3;
// Larger tolerances than this say nothing [m].
constexpr double kLargest = 1e9;

void appendRows(const Eigen::Matrix3d& matrix, std::vector<double>& numbers) {
  for (Eigen::Index i = 0; i < 3; ++i) {
    for (Eigen::Index k = 0; k < 3; ++k) {
      numbers.push_back(matrix(i, k));
    }
  }
}

void appendVector(const Eigen::Vector3d& vector, std::vector<double>& numbers) {
  numbers.insert(numbers.end(), {vector.x(), vector.y(), vector.z()});
}

// x y z, quaternion x y z w.
void appendQuaternionPose(const Eigen::Isometry3d& pose, std::vector<double>& numbers) {
  appendVector(pose.translation(), numbers);
  const Eigen::Quaterniond q(pose.linear());
  numbers.insert(numbers.end(), {q.x(), q.y(), q.z(), q.w()});
}

Eigen::Matrix3d crossProduct(const Eigen::Vector3d& axis) {
  Eigen::Matrix3d matrix;
  matrix << 0.0, -axis.z(), axis.y(), axis.z(), 0.0, -axis.x(), -axis.y(), axis.x(), 0.0;
  return matrix;
}

// The shortest rotation of the z axis onto another.
Eigen::Quaterniond fromZ(const Eigen::Vector3d& axis) {
  constexpr double kOpposite = -1.0 + 1e-12;
  if (axis.z() < kOpposite) {
    return {0.0, 1.0, 0.0, 0.0};
  }
  const double twice_cosine = std::sqrt(2.0 * (1.0 + axis.z()));  // of half the angle
  return {twice_cosine / 2.0, -axis.y() / twice_cosine, axis.x() / twice_cosine, 0.0};
}

// For the local solver: the joints' frames turned so that all axes are z axes.
void appendSolverChain(const Chain& chain, PackedChain& packed) {
  Eigen::Isometry3d turned = Eigen::Isometry3d::Identity();
  for (const Joint& joint : chain.joints()) {
    const Eigen::Isometry3d turn(fromZ(joint.axis));
    appendQuaternionPose(turned.inverse() * joint.joint_in_parent * turn, packed.floats);
    turned = turn;
  }
  for (const Joint& joint : chain.joints()) {
    packed.floats.push_back(joint.multiplier);
  }
  for (const Joint& joint : chain.joints()) {
    packed.floats.push_back(joint.offset);
  }
  appendQuaternionPose(turned.inverse() * chain.tipInLastJoint(), packed.floats);
  const Vector scale = chain.stepUnits();
  packed.floats.insert(packed.floats.end(), scale.begin(), scale.end());
  packed.ints = {static_cast<std::int64_t>(chain.joints().size()), chain.size()};
  for (const Joint& joint : chain.joints()) {
    packed.ints.push_back(joint.type == Joint::Type::kPrismatic ? 1 : 0);
  }
  for (const Joint& joint : chain.joints()) {
    packed.ints.push_back(joint.variable);
  }
}

}  // namespace

void appendVerifierJoints(std::span<const Chain> chains, std::vector<double>& numbers) {
  std::vector<double> sine_parts;
  std::vector<double> versine_parts;
  std::vector<double> shifts;
  std::vector<double> axes;
  for (const Chain& chain : chains) {
    for (const Joint& joint : chain.joints()) {
      const Eigen::Matrix3d rotation = joint.joint_in_parent.linear();
      const Eigen::Matrix3d cross = crossProduct(joint.axis);
      appendRows(rotation, numbers);
      appendRows(rotation * cross, sine_parts);
      appendRows(rotation * cross * cross, versine_parts);
      appendVector(joint.joint_in_parent.translation(), shifts);
      appendVector(rotation * joint.axis, axes);
    }
  }
  for (const std::vector<double>& part : {sine_parts, versine_parts, shifts, axes}) {
    numbers.insert(numbers.end(), part.begin(), part.end());
  }
}

void appendOptions(const LaneOptions& options, std::vector<double>& numbers) {
  numbers.insert(
      numbers.end(),
      {options.position_weight, options.orientation_weight, options.position_tolerance,
       options.orientation_tolerance, static_cast<double>(options.max_iterations), options.damping,
       options.max_step, static_cast<double>(options.stall_window), options.stall_ratio});
}

void appendPose(const Eigen::Isometry3d& pose, std::vector<double>& numbers) {
  for (Eigen::Index i = 0; i < 4; ++i) {
    for (Eigen::Index k = 0; k < 4; ++k) {
      numbers.push_back(pose.matrix()(i, k));
    }
  }
}

int countConstraints(const Tolerance& tolerance) {
  return (std::isinf(tolerance.position) ? 0 : 3) + (std::isinf(tolerance.orientation) ? 0 : 3);
}

LaneOptions solverOptions(const Tolerance& tolerance, double length) {
  LaneOptions options{};
  options.position_weight = std::isinf(tolerance.position) ? 0.0 : 1.0 / length;
  options.orientation_weight = std::isinf(tolerance.orientation) ? 0.0 : 1.0;
  options.position_tolerance = kMargin * std::min(tolerance.position, kLargest);
  options.orientation_tolerance =
      kMargin * 2.0 * std::sin(0.5 * std::min(tolerance.orientation, kPi));
  options.max_iterations = 40;
  options.damping = 0.03;
  options.max_step = 10.0;
  options.stall_window = 4;
  options.stall_ratio = 0.3;
  return options;
}

PackedChain packed(const Chain& chain, const Tolerance& tolerance) {
  PackedChain packed;
  appendSolverChain(chain, packed);
  appendVerifierJoints({&chain, 1}, packed.floats);
  appendPose(chain.tipInLastJoint(), packed.floats);
  packed.options = solverOptions(tolerance, chain.characteristicLength());
  appendOptions(packed.options, packed.floats);
  const double redundant = chain.size() > countConstraints(tolerance) ? 1.0 : 0.0;
  packed.floats.insert(packed.floats.end(), {tolerance.position, tolerance.orientation,
                                             chain.reach() + tolerance.position, redundant});
  return packed;
}

}  // namespace generative_ik

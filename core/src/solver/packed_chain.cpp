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

// For the local solver: the joints' frames turned so that all axes are z axes.
void appendSolverChain(const Chain& chain, PackedChain& packed) {
  Eigen::Isometry3d turned = Eigen::Isometry3d::Identity();
  for (const Joint& joint : chain.joints()) {
    const Eigen::Isometry3d turn(fromZ(joint.axis));
    appendSolverPose(turned.inverse() * joint.joint_in_parent * turn, packed.floats);
    turned = turn;
  }
  for (const Joint& joint : chain.joints()) {
    packed.floats.push_back(joint.multiplier);
  }
  for (const Joint& joint : chain.joints()) {
    packed.floats.push_back(joint.offset);
  }
  appendSolverPose(turned.inverse() * chain.tipInLastJoint(), packed.floats);
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
  RodriguesJoints joints;
  for (const Chain& chain : chains) {
    for (const Joint& joint : chain.joints()) {
      joints.add(joint.joint_in_parent, joint.axis);
    }
  }
  joints.appendTo(numbers);
}

void appendOptions(const LaneOptions& options, std::vector<double>& numbers) {
  numbers.insert(
      numbers.end(),
      {options.position_weight, options.orientation_weight, options.position_tolerance,
       options.orientation_tolerance, static_cast<double>(options.max_iterations), options.damping,
       options.max_step, static_cast<double>(options.stall_window), options.stall_ratio});
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

#include "moving_frames.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>

namespace generative_ik::collision::building {
namespace {

constexpr std::size_t kFrameNumbers = 35;
constexpr std::size_t kFrameIntegers = 3;

// What Rodrigues' formula needs of a joint: its rotation is linear in sine and versine.
std::vector<double> numbersOf(const Joint& joint) {
  const Eigen::Matrix3d at_zero = joint.joint_in_parent.linear();
  const Eigen::Vector3d axis = joint.axis.normalized();
  Eigen::Matrix3d cross;
  cross << 0.0, -axis.z(), axis.y(), axis.z(), 0.0, -axis.x(), -axis.y(), axis.x(), 0.0;
  std::vector<double> numbers;
  const auto add = [&numbers](const Eigen::Matrix3d& matrix) {
    for (int row = 0; row < 3; ++row) {
      numbers.insert(numbers.end(), {matrix(row, 0), matrix(row, 1), matrix(row, 2)});
    }
  };
  add(at_zero);
  add(at_zero * cross);
  add(at_zero * cross * cross);
  const Eigen::Vector3d shift = joint.joint_in_parent.translation();
  const Eigen::Vector3d turned = at_zero * axis;
  numbers.insert(numbers.end(), {shift.x(), shift.y(), shift.z(), turned.x(), turned.y(),
                                 turned.z(), joint.multiplier, joint.offset});
  return numbers;
}

}  // namespace

MovingFrames::MovingFrames(const std::vector<Chain>& chains) {
  if (chains.empty()) {
    throw std::invalid_argument("a collision model needs a chain");
  }
  std::map<std::string, std::int64_t> numbered;
  for (const Chain& chain : chains) {
    std::vector<std::int64_t> variables;
    for (const Variable& variable : chain.variables()) {
      variables.push_back(numbered.emplace(variable.name, numbered.size()).first->second);
    }
    std::int64_t parent = 0;
    frames_.emplace_back(1, 0);
    for (const Joint& joint : chain.joints()) {
      parent = add(joint, variables[static_cast<std::size_t>(joint.variable)], parent);
      frames_.back().push_back(parent);
    }
  }
  num_variables_ = static_cast<std::int64_t>(numbered.size());
}

std::int64_t MovingFrames::frameOf(std::size_t chain, int num_joints) const {
  if (chain >= frames_.size() || num_joints < 0 ||
      static_cast<std::size_t>(num_joints) >= frames_[chain].size()) {
    throw std::invalid_argument("a link's frame is not the chain's");
  }
  return frames_[chain][static_cast<std::size_t>(num_joints)];
}

std::int64_t MovingFrames::parentOf(std::int64_t frame) const {
  return ints_[kFrameIntegers * static_cast<std::size_t>(frame - 1)];
}

std::int64_t MovingFrames::add(const Joint& joint, std::int64_t variable, std::int64_t parent) {
  const std::vector<double> numbers = numbersOf(joint);
  const std::array<std::int64_t, kFrameIntegers> ints = {
      parent, joint.type == Joint::Type::kPrismatic ? 1 : 0, variable};
  const std::size_t count = ints_.size() / kFrameIntegers;
  for (std::size_t f = 0; f < count; ++f) {
    if (std::equal(ints.begin(), ints.end(), ints_.data() + kFrameIntegers * f) &&
        std::equal(numbers.begin(), numbers.end(), numbers_.data() + kFrameNumbers * f)) {
      return static_cast<std::int64_t>(f) + 1;
    }
  }
  ints_.insert(ints_.end(), ints.begin(), ints.end());
  numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
  return static_cast<std::int64_t>(count) + 1;
}

}  // namespace generative_ik::collision::building

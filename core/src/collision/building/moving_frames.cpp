#include "moving_frames.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>

#include "../../local_solver/packed_joints.hpp"

namespace generative_ik::collision::building {
namespace {

constexpr std::size_t kFrameIntegers = 3;

}  // namespace

std::vector<double> frameNumbers(const Joint& joint) {
  RodriguesJoints of_one;
  of_one.add(joint.joint_in_parent, joint.axis.normalized(), joint.offset);
  std::vector<double> numbers;
  of_one.appendTo(numbers);
  numbers.insert(numbers.end() - 1, joint.multiplier);
  return numbers;
}

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
  const std::vector<double> numbers = frameNumbers(joint);
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

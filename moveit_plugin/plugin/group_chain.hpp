// Conversion between a planning group of MoveIt's robot model and a chain of the core.
#pragma once

#include <string>

#include "group_joints.hpp"

namespace generative_ik_ros {

class GroupChain : public GroupJoints {
 public:
  // Throws std::invalid_argument if base is not an ancestor of tip, a joint between them is planar
  // or floating or not in the group, or the group has other joints.
  GroupChain(const moveit::core::JointModelGroup& group, const std::string& base,
             const std::string& tip);

  [[nodiscard]] const generative_ik::Chain& chain() const { return chain_; }

 private:
  GroupChain(const moveit::core::JointModelGroup& group, generative_ik::Chain chain,
             const std::string& tip);

  generative_ik::Chain chain_;
};

}  // namespace generative_ik_ros

// A planning group of MoveIt's robot model with several tips.
#pragma once

#include <moveit/robot_state/robot_state.hpp>
#include <string>
#include <vector>

#include "group_joints.hpp"

namespace generative_ik_ros {

class GroupTree : public GroupJoints {
 public:
  // Throws std::invalid_argument if the robot has no such link, a joint that moves a tip against
  // the base is planar or floating or not in the group, or the group has other joints.
  GroupTree(const moveit::core::JointModelGroup& group, std::string base,
            std::vector<std::string> tips);

  [[nodiscard]] const std::vector<std::string>& tips() const { return tips_; }

  // Poses of the tips in the base link by MoveIt's model. Args: state: of the group's robot;
  // joints of the group are set in it.
  [[nodiscard]] std::vector<Eigen::Isometry3d> tipsInBase(const generative_ik::Vector& q,
                                                          moveit::core::RobotState& state) const;

 private:
  const moveit::core::JointModelGroup& group_;
  std::string base_;
  std::vector<std::string> tips_;
};

// The links that a group that is no chain has poses for: those of its end effectors, or the last
// ones of its subgroups that are chains, of which none is part of another. Empty: they have to be
// named.
std::vector<std::string> tipsOf(const moveit::core::JointModelGroup& group);

}  // namespace generative_ik_ros

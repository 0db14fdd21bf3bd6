// The joints of a planning group of MoveIt's robot model, and the variables that drive them.
#pragma once

#include <generative_ik/search_box.hpp>
#include <string>
#include <vector>

#include "moveit_headers.hpp"

namespace generative_ik_ros {

// The joint that drives a joint: the one it mimics, or itself.
const moveit::core::JointModel& driverOf(const moveit::core::JointModel& joint);

// Index of the variable of a revolute or prismatic joint, which is added if it is new.
int indexOf(std::vector<generative_ik::Variable>& variables,
            const moveit::core::JointModel& joint);

// Throws std::invalid_argument unless the joint, which moves a tip, is revolute or prismatic and
// driven by a joint of the group.
void checkMoving(const moveit::core::JointModelGroup& group, const moveit::core::JointModel& joint,
                 const std::string& tip);

class GroupJoints {
 public:
  // Args: tips: names of the links that the variables move. Throws std::invalid_argument if the
  // group has joints that follow none of the variables.
  GroupJoints(const moveit::core::JointModelGroup& group,
              std::vector<generative_ik::Variable> variables, const std::string& tips);

  [[nodiscard]] const std::vector<generative_ik::Variable>& variables() const {
    return variables_;
  }

  // The group's moving joints in the group's order, including mimic joints, because MoveIt copies
  // one value for each of the group's variables.
  [[nodiscard]] const std::vector<std::string>& jointNames() const { return joint_names_; }
  [[nodiscard]] const std::vector<std::string>& linkNames() const { return link_names_; }

  // Conversions between vectors in the group's order and configurations [rad or m]. Throws
  // std::invalid_argument if the vector has a wrong length.
  [[nodiscard]] generative_ik::Vector toVariables(const std::vector<double>& in_group) const;
  [[nodiscard]] std::vector<double> toGroup(const generative_ik::Vector& q) const;

  // Converts consistency limits; those of mimic joints are ignored. Empty stays empty.
  [[nodiscard]] generative_ik::ConsistencyLimits limitsToVariables(
      const std::vector<double>& in_group) const;

 private:
  // The entry of the group's vector is multiplier * q[variable] + offset.
  struct Entry {
    Eigen::Index variable;
    double multiplier;
    double offset;
    bool mimic;
  };

  void checkSize(const std::vector<double>& in_group, const std::string& what) const;

  std::vector<generative_ik::Variable> variables_;
  std::vector<std::string> joint_names_;
  std::vector<std::string> link_names_;
  std::vector<Entry> entries_;
};

}  // namespace generative_ik_ros

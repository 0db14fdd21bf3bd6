// A group of MoveIt's robot model in; the chain that the core works on, and the way between their
// orders of joints, out.
#pragma once

#include <generative_ik_core/search_box.hpp>
#include <moveit/robot_model/robot_model.hpp>
#include <string>
#include <vector>

namespace generative_ik_ros {

class GroupChain {
 public:
  // Raises std::invalid_argument: base is not above tip, a joint between them is planar or
  // floating, moves but is not in the group, or the group has joints elsewhere.
  GroupChain(const moveit::core::JointModelGroup& group, const std::string& base,
             const std::string& tip);

  [[nodiscard]] const generative_ik::Chain& chain() const { return chain_; }

  // The group's moving joints in the group's order. Those that mimic are among them: MoveIt copies
  // one value for each, and reads as many as the group has variables.
  [[nodiscard]] const std::vector<std::string>& jointNames() const { return joint_names_; }
  [[nodiscard]] const std::vector<std::string>& linkNames() const { return link_names_; }

  // Between vectors in the group's order and configurations of the chain [rad or m].
  // Raises std::invalid_argument: the vector has a wrong length.
  [[nodiscard]] generative_ik::Vector toChain(const std::vector<double>& in_group) const;
  [[nodiscard]] std::vector<double> toGroup(const generative_ik::Vector& q) const;

  // As toChain, for largest distances from the seed: what a mimic joint may move is left to the
  // joint it follows. Empty stays empty.
  [[nodiscard]] generative_ik::ConsistencyLimits limitsToChain(
      const std::vector<double>& in_group) const;

 private:
  // An entry of the group's vector stands at multiplier * q[variable] + offset.
  struct Entry {
    Eigen::Index variable;
    double multiplier;
    double offset;
    bool mimic;
  };

  void checkSize(const std::vector<double>& in_group, const std::string& what) const;

  std::vector<std::string> joint_names_;
  std::vector<std::string> link_names_;
  std::vector<Entry> entries_;
  generative_ik::Chain chain_;
};

}  // namespace generative_ik_ros

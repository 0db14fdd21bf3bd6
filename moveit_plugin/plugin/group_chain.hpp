// Conversion between a planning group of MoveIt's robot model and a chain of the core.
#pragma once

#include <generative_ik_core/search_box.hpp>
#include <moveit/robot_model/robot_model.hpp>
#include <string>
#include <vector>

namespace generative_ik_ros {

class GroupChain {
 public:
  // Throws std::invalid_argument if base is not an ancestor of tip, a joint between them is planar
  // or floating or not in the group, or the group has other joints.
  GroupChain(const moveit::core::JointModelGroup& group, const std::string& base,
             const std::string& tip);

  [[nodiscard]] const generative_ik::Chain& chain() const { return chain_; }

  // The group's moving joints in the group's order, including mimic joints, because MoveIt copies
  // one value for each of the group's variables.
  [[nodiscard]] const std::vector<std::string>& jointNames() const { return joint_names_; }
  [[nodiscard]] const std::vector<std::string>& linkNames() const { return link_names_; }

  // Conversions between vectors in the group's order and configurations of the chain [rad or m].
  // Throws std::invalid_argument if the vector has a wrong length.
  [[nodiscard]] generative_ik::Vector toChain(const std::vector<double>& in_group) const;
  [[nodiscard]] std::vector<double> toGroup(const generative_ik::Vector& q) const;

  // Converts consistency limits; those of mimic joints are ignored. Empty stays empty.
  [[nodiscard]] generative_ik::ConsistencyLimits limitsToChain(
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

  std::vector<std::string> joint_names_;
  std::vector<std::string> link_names_;
  std::vector<Entry> entries_;
  generative_ik::Chain chain_;
};

}  // namespace generative_ik_ros

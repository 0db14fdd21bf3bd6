#include "group_joints.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace generative_ik_ros {
namespace {

using generative_ik::Variable;
using moveit::core::JointModel;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool isMimic(const JointModel& joint) {
  return joint.getMimic() != nullptr;
}

Variable variableOf(const JointModel& joint) {
  Variable variable;
  variable.name = joint.getName();
  variable.revolute = joint.getType() == JointModel::REVOLUTE;
  variable.continuous =
      variable.revolute &&
      dynamic_cast<const moveit::core::RevoluteJointModel&>(joint).isContinuous();
  const moveit::core::VariableBounds& bounds = joint.getVariableBounds().front();
  const bool bounded = bounds.position_bounded_ && !variable.continuous;
  variable.lower = bounded ? bounds.min_position_ : -kInfinity;
  variable.upper = bounded ? bounds.max_position_ : kInfinity;
  return variable;
}

}  // namespace

const JointModel& driverOf(const JointModel& joint) {
  return joint.getMimic() == nullptr ? joint : *joint.getMimic();
}

int indexOf(std::vector<Variable>& variables, const JointModel& joint) {
  const auto at = std::find_if(variables.begin(), variables.end(), [&](const Variable& variable) {
    return variable.name == joint.getName();
  });
  if (at != variables.end()) {
    return static_cast<int>(at - variables.begin());
  }
  variables.push_back(variableOf(joint));
  return static_cast<int>(variables.size()) - 1;
}

void checkMoving(const moveit::core::JointModelGroup& group, const JointModel& joint,
                 const std::string& tip) {
  if (joint.getType() != JointModel::REVOLUTE && joint.getType() != JointModel::PRISMATIC) {
    throw std::invalid_argument(
        "joint '" + joint.getName() + "' is a " + joint.getTypeName() +
        " joint; only revolute, continuous and prismatic joints are supported");
  }
  if (!group.hasJointModel(driverOf(joint).getName())) {
    throw std::invalid_argument("joint '" + driverOf(joint).getName() + "' moves '" + tip +
                                "' but is not in group '" + group.getName() + "'");
  }
}

GroupJoints::GroupJoints(const moveit::core::JointModelGroup& group,
                         std::vector<Variable> variables, const std::string& tips)
    : variables_(std::move(variables)), link_names_(group.getLinkModelNames()) {
  for (const JointModel* joint : group.getJointModels()) {
    if (joint->getVariableCount() == 0) {
      continue;
    }
    const JointModel& driver = driverOf(*joint);
    const auto at =
        std::find_if(variables_.begin(), variables_.end(),
                     [&](const Variable& variable) { return variable.name == driver.getName(); });
    if (at == variables_.end()) {
      throw std::invalid_argument("joint '" + joint->getName() + "' of group '" + group.getName() +
                                  "' does not move " + tips);
    }
    joint_names_.push_back(joint->getName());
    entries_.push_back({at - variables_.begin(), isMimic(*joint) ? joint->getMimicFactor() : 1.0,
                        isMimic(*joint) ? joint->getMimicOffset() : 0.0, isMimic(*joint)});
  }
}

void GroupJoints::checkSize(const std::vector<double>& in_group, const std::string& what) const {
  if (in_group.size() != entries_.size()) {
    throw std::invalid_argument(what + " has " + std::to_string(in_group.size()) +
                                " entries for the " + std::to_string(entries_.size()) +
                                " joints of the group");
  }
}

generative_ik::Vector GroupJoints::toVariables(const std::vector<double>& in_group) const {
  checkSize(in_group, "the joint vector");
  generative_ik::Vector q(static_cast<Eigen::Index>(variables_.size()));
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!entries_[i].mimic) {
      q[entries_[i].variable] = in_group[i];
    }
  }
  return q;
}

std::vector<double> GroupJoints::toGroup(const generative_ik::Vector& q) const {
  std::vector<double> in_group;
  in_group.reserve(entries_.size());
  for (const Entry& entry : entries_) {
    in_group.push_back(entry.multiplier * q[entry.variable] + entry.offset);
  }
  return in_group;
}

generative_ik::ConsistencyLimits GroupJoints::limitsToVariables(
    const std::vector<double>& in_group) const {
  if (in_group.empty()) {
    return {};
  }
  checkSize(in_group, "the vector of consistency limits");
  generative_ik::ConsistencyLimits limits(variables_.size(), kInfinity);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!entries_[i].mimic) {
      limits[static_cast<std::size_t>(entries_[i].variable)] = in_group[i];
    }
  }
  return limits;
}

}  // namespace generative_ik_ros

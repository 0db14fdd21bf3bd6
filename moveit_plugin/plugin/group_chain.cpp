#include "group_chain.hpp"

#include <algorithm>
#include <limits>
#include <moveit/robot_model/joint_model_group.hpp>
#include <moveit/robot_model/prismatic_joint_model.hpp>
#include <moveit/robot_model/revolute_joint_model.hpp>
#include <stdexcept>
#include <utility>

namespace generative_ik_ros {
namespace {

using generative_ik::Chain;
using generative_ik::Joint;
using generative_ik::Variable;
using moveit::core::JointModel;
using moveit::core::LinkModel;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The links from base to tip, without base.
std::vector<const LinkModel*> pathOf(const moveit::core::RobotModel& model,
                                     const std::string& base, const std::string& tip) {
  std::vector<const LinkModel*> path;
  const LinkModel* link = model.hasLinkModel(tip) ? model.getLinkModel(tip) : nullptr;
  if (link == nullptr) {
    throw std::invalid_argument("the robot has no link '" + tip + "'");
  }
  // The model frame above the root link is not a link.
  while (link != nullptr && link->getName() != base) {
    path.push_back(link);
    link = link->getParentLinkModel();
  }
  if (link == nullptr && base != model.getModelFrame()) {
    throw std::invalid_argument("'" + base + "' is not above '" + tip + "' in the robot's tree");
  }
  std::reverse(path.begin(), path.end());
  return path;
}

// The joint that drives a joint: the one it mimics, or itself.
const JointModel& driverOf(const JointModel& joint) {
  return joint.getMimic() == nullptr ? joint : *joint.getMimic();
}

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

Joint jointOf(const JointModel& joint, const Eigen::Isometry3d& joint_in_parent) {
  Joint result;
  result.joint_in_parent = joint_in_parent;
  if (joint.getType() == JointModel::REVOLUTE) {
    result.axis = dynamic_cast<const moveit::core::RevoluteJointModel&>(joint).getAxis();
  } else {
    result.type = Joint::Type::kPrismatic;
    result.axis = dynamic_cast<const moveit::core::PrismaticJointModel&>(joint).getAxis();
  }
  if (isMimic(joint)) {
    result.multiplier = joint.getMimicFactor();
    result.offset = joint.getMimicOffset();
  }
  return result;
}

// Index of a joint's variable, which is added if it is new.
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

Chain readChain(const moveit::core::JointModelGroup& group, const std::string& base,
                const std::string& tip) {
  std::vector<Variable> variables;
  std::vector<Joint> joints;
  Eigen::Isometry3d joint_in_parent = Eigen::Isometry3d::Identity();
  for (const LinkModel* link : pathOf(group.getParentModel(), base, tip)) {
    const JointModel& joint = *link->getParentJointModel();
    joint_in_parent = joint_in_parent * link->getJointOriginTransform();
    if (joint.getType() == JointModel::FIXED) {
      continue;
    }
    if (joint.getType() != JointModel::REVOLUTE && joint.getType() != JointModel::PRISMATIC) {
      throw std::invalid_argument(
          "joint '" + joint.getName() + "' is a " + joint.getTypeName() +
          " joint; only revolute, continuous and prismatic joints are supported");
    }
    if (!group.hasJointModel(driverOf(joint).getName())) {
      throw std::invalid_argument("joint '" + driverOf(joint).getName() + "' moves '" + tip +
                                  "' but is not in group '" + group.getName() + "'");
    }
    joints.push_back(jointOf(joint, joint_in_parent));
    joints.back().variable = indexOf(variables, driverOf(joint));
    joint_in_parent.setIdentity();
  }
  if (joints.empty()) {
    throw std::invalid_argument("no joint moves '" + tip + "' relative to '" + base + "'");
  }
  return {std::move(variables), std::move(joints), joint_in_parent};
}

}  // namespace

GroupChain::GroupChain(const moveit::core::JointModelGroup& group, const std::string& base,
                       const std::string& tip)
    : link_names_(group.getLinkModelNames()), chain_(readChain(group, base, tip)) {
  for (const JointModel* joint : group.getJointModels()) {
    if (joint->getVariableCount() == 0) {
      continue;
    }
    const JointModel& driver = driverOf(*joint);
    const auto& variables = chain_.variables();
    const auto at =
        std::find_if(variables.begin(), variables.end(),
                     [&](const Variable& variable) { return variable.name == driver.getName(); });
    if (at == variables.end()) {
      throw std::invalid_argument("joint '" + joint->getName() + "' of group '" + group.getName() +
                                  "' does not move '" + tip + "'");
    }
    joint_names_.push_back(joint->getName());
    entries_.push_back({at - variables.begin(), isMimic(*joint) ? joint->getMimicFactor() : 1.0,
                        isMimic(*joint) ? joint->getMimicOffset() : 0.0, isMimic(*joint)});
  }
}

void GroupChain::checkSize(const std::vector<double>& in_group, const std::string& what) const {
  if (in_group.size() != entries_.size()) {
    throw std::invalid_argument(what + " has " + std::to_string(in_group.size()) +
                                " entries for the " + std::to_string(entries_.size()) +
                                " joints of the group");
  }
}

generative_ik::Vector GroupChain::toChain(const std::vector<double>& in_group) const {
  checkSize(in_group, "the joint vector");
  generative_ik::Vector q(chain_.size());
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!entries_[i].mimic) {
      q[entries_[i].variable] = in_group[i];
    }
  }
  return q;
}

std::vector<double> GroupChain::toGroup(const generative_ik::Vector& q) const {
  std::vector<double> in_group;
  in_group.reserve(entries_.size());
  for (const Entry& entry : entries_) {
    in_group.push_back(entry.multiplier * q[entry.variable] + entry.offset);
  }
  return in_group;
}

generative_ik::ConsistencyLimits GroupChain::limitsToChain(
    const std::vector<double>& in_group) const {
  if (in_group.empty()) {
    return {};
  }
  checkSize(in_group, "the vector of consistency limits");
  generative_ik::ConsistencyLimits limits(static_cast<std::size_t>(chain_.size()), kInfinity);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!entries_[i].mimic) {
      limits[static_cast<std::size_t>(entries_[i].variable)] = in_group[i];
    }
  }
  return limits;
}

}  // namespace generative_ik_ros

#include "group_chain.hpp"

#include <algorithm>
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

Joint jointOf(const JointModel& joint, const Eigen::Isometry3d& joint_in_parent) {
  Joint result;
  result.joint_in_parent = joint_in_parent;
  if (joint.getType() == JointModel::REVOLUTE) {
    result.axis = dynamic_cast<const moveit::core::RevoluteJointModel&>(joint).getAxis();
  } else {
    result.type = Joint::Type::kPrismatic;
    result.axis = dynamic_cast<const moveit::core::PrismaticJointModel&>(joint).getAxis();
  }
  if (joint.getMimic() != nullptr) {
    result.multiplier = joint.getMimicFactor();
    result.offset = joint.getMimicOffset();
  }
  return result;
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
    checkMoving(group, joint, tip);
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
    : GroupChain(group, readChain(group, base, tip), tip) {}

GroupChain::GroupChain(const moveit::core::JointModelGroup& group, generative_ik::Chain chain,
                       const std::string& tip)
    : GroupJoints(group, chain.variables(), "'" + tip + "'"), chain_(std::move(chain)) {}

}  // namespace generative_ik_ros

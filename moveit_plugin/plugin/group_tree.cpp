#include "group_tree.hpp"

#include <algorithm>
#include <cmath>
#include <moveit/robot_model/joint_model_group.hpp>
#include <stdexcept>
#include <utility>

namespace generative_ik_ros {
namespace {

using generative_ik::Variable;
using moveit::core::JointModel;
using moveit::core::LinkModel;

// The joints above a link, the nearest first.
std::vector<const JointModel*> jointsAbove(const moveit::core::RobotModel& model,
                                           const std::string& name) {
  std::vector<const JointModel*> joints;
  if (name == model.getModelFrame() && !model.hasLinkModel(name)) {
    return joints;
  }
  if (!model.hasLinkModel(name)) {
    throw std::invalid_argument("the robot has no link '" + name + "'");
  }
  for (const LinkModel* link = model.getLinkModel(name); link != nullptr;
       link = link->getParentLinkModel()) {
    joints.push_back(link->getParentJointModel());
  }
  return joints;
}

// The joints that move a tip against the base, from the top downwards.
std::vector<const JointModel*> jointsBetween(const moveit::core::RobotModel& model,
                                             const std::string& base, const std::string& tip) {
  std::vector<const JointModel*> to_base = jointsAbove(model, base);
  std::vector<const JointModel*> to_tip = jointsAbove(model, tip);
  while (!to_base.empty() && !to_tip.empty() && to_base.back() == to_tip.back()) {
    to_base.pop_back();
    to_tip.pop_back();
  }
  to_base.insert(to_base.end(), to_tip.rbegin(), to_tip.rend());
  return to_base;
}

std::vector<Variable> readVariables(const moveit::core::JointModelGroup& group,
                                    const std::string& base,
                                    const std::vector<std::string>& tips) {
  std::vector<Variable> variables;
  for (const std::string& tip : tips) {
    for (const JointModel* joint : jointsBetween(group.getParentModel(), base, tip)) {
      if (joint->getType() == JointModel::FIXED) {
        continue;
      }
      checkMoving(group, *joint, tip);
      const int variable = indexOf(variables, driverOf(*joint));
      const double factor = joint->getMimic() == nullptr ? 1.0 : joint->getMimicFactor();
      if (std::round(factor) != factor) {
        // A full turn of the driver is none of this joint.
        variables[static_cast<std::size_t>(variable)].periodic = false;
      }
    }
  }
  if (variables.empty()) {
    throw std::invalid_argument("no joint moves a tip relative to '" + base + "'");
  }
  return variables;
}

// Whether a group has all the joints of another that move.
bool hasAllOf(const moveit::core::JointModelGroup& group,
              const moveit::core::JointModelGroup& other) {
  const auto& joints = other.getActiveJointModels();
  return std::all_of(joints.begin(), joints.end(), [&](const JointModel* joint) {
    return group.hasJointModel(joint->getName());
  });
}

std::string listed(const std::vector<std::string>& tips) {
  std::string list;
  for (const std::string& tip : tips) {
    list += (list.empty() ? "'" : ", '") + tip + "'";
  }
  return list;
}

}  // namespace

GroupTree::GroupTree(const moveit::core::JointModelGroup& group, std::string base,
                     std::vector<std::string> tips)
    : GroupJoints(group, readVariables(group, base, tips), "any of " + listed(tips)),
      group_(group),
      base_(std::move(base)),
      tips_(std::move(tips)) {}

std::vector<Eigen::Isometry3d> GroupTree::tipsInBase(const generative_ik::Vector& q,
                                                     moveit::core::RobotState& state) const {
  state.setJointGroupPositions(&group_, toGroup(q));
  state.updateLinkTransforms();
  const bool is_link = group_.getParentModel().hasLinkModel(base_);
  const Eigen::Isometry3d root_in_base =
      is_link ? state.getGlobalLinkTransform(base_).inverse() : Eigen::Isometry3d::Identity();
  std::vector<Eigen::Isometry3d> poses;
  poses.reserve(tips_.size());
  for (const std::string& tip : tips_) {
    poses.push_back(root_in_base * state.getGlobalLinkTransform(tip));
  }
  return poses;
}

std::vector<std::string> tipsOf(const moveit::core::JointModelGroup& group) {
  std::vector<std::string> tips;
  if (group.getEndEffectorTips(tips) && tips.size() > 1) {
    // MoveIt has them in the order of their addresses.
    std::sort(tips.begin(), tips.end());
    return tips;
  }
  tips.clear();
  std::vector<const moveit::core::JointModelGroup*> chains;
  group.getSubgroups(chains);
  chains.erase(std::remove_if(chains.begin(), chains.end(),
                              [](const auto* subgroup) { return !subgroup->isChain(); }),
               chains.end());
  // Parts of an arm, such as a wrist, are subgroups as well.
  std::stable_sort(chains.begin(), chains.end(), [](const auto* one, const auto* other) {
    return one->getVariableCount() > other->getVariableCount();
  });
  std::vector<const moveit::core::JointModelGroup*> arms;
  for (const moveit::core::JointModelGroup* chain : chains) {
    const bool is_part = std::any_of(arms.begin(), arms.end(),
                                     [&](const auto* arm) { return hasAllOf(*arm, *chain); });
    if (!is_part) {
      arms.push_back(chain);
      tips.push_back(chain->getLinkModels().back()->getName());
    }
  }
  return tips;
}

}  // namespace generative_ik_ros

#include "group_chains.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "group_joints.hpp"

namespace generative_ik_ros {
namespace {

using generative_ik::Chain;
using generative_ik::Joint;
using generative_ik::Variable;
using moveit::core::JointModel;
using moveit::core::LinkModel;

// The joints above a link, the nearest first.
std::vector<const JointModel*> jointsAbove(const moveit::core::RobotModel& model,
                                           const std::string& name) {
  std::vector<const JointModel*> joints;
  // The model frame above the root link is not a link.
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

Joint jointOf(const JointModel& joint) {
  Joint result;
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

// A chain in the making: joints are added from the base on.
class ChainBuilder {
 public:
  ChainBuilder(const moveit::core::JointModelGroup& group, const std::string& tip)
      : group_(group), tip_(tip) {}

  // Passes a joint from its parent link to its child link.
  void down(const JointModel& joint) {
    before_ = before_ * joint.getChildLinkModel()->getJointOriginTransform();
    if (joint.getType() != JointModel::FIXED) {
      add(joint, 1.0);
    }
  }

  // Passes a joint from its child link to its parent link, so that it moves the other way.
  void up(const JointModel& joint) {
    if (joint.getType() != JointModel::FIXED) {
      add(joint, -1.0);
    }
    before_ = before_ * joint.getChildLinkModel()->getJointOriginTransform().inverse();
  }

  Chain build() {
    if (joints_.empty()) {
      throw std::invalid_argument("no joint moves '" + tip_ + "' relative to the base");
    }
    return {std::move(variables_), std::move(joints_), before_};
  }

 private:
  void add(const JointModel& joint, double direction) {
    checkMoving(group_, joint, tip_);
    Joint added = jointOf(joint);
    added.axis *= direction;
    added.joint_in_parent = before_;
    added.variable = indexOf(variables_, driverOf(joint));
    joints_.push_back(added);
    before_.setIdentity();
  }

  const moveit::core::JointModelGroup& group_;
  const std::string& tip_;
  std::vector<Variable> variables_;
  std::vector<Joint> joints_;
  Eigen::Isometry3d before_ = Eigen::Isometry3d::Identity();  // the link in the last joint
};

Chain chainOf(const moveit::core::JointModelGroup& group, const std::string& base,
              const std::string& tip) {
  std::vector<const JointModel*> to_base = jointsAbove(group.getParentModel(), base);
  std::vector<const JointModel*> to_tip = jointsAbove(group.getParentModel(), tip);
  while (!to_base.empty() && !to_tip.empty() && to_base.back() == to_tip.back()) {
    to_base.pop_back();
    to_tip.pop_back();
  }
  ChainBuilder chain(group, tip);
  for (const JointModel* joint : to_base) {
    chain.up(*joint);
  }
  for (auto joint = to_tip.rbegin(); joint != to_tip.rend(); ++joint) {
    chain.down(**joint);
  }
  return chain.build();
}

// Whether a group has all the joints of another that move.
bool hasAllOf(const moveit::core::JointModelGroup& group,
              const moveit::core::JointModelGroup& other) {
  const auto& joints = other.getActiveJointModels();
  return std::all_of(joints.begin(), joints.end(), [&](const JointModel* joint) {
    return group.hasJointModel(joint->getName());
  });
}

}  // namespace

std::vector<Chain> chainsOf(const moveit::core::JointModelGroup& group, const std::string& base,
                            const std::vector<std::string>& tips) {
  std::vector<Chain> chains;
  chains.reserve(tips.size());
  for (const std::string& tip : tips) {
    chains.push_back(chainOf(group, base, tip));
  }
  return chains;
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

#include "links.hpp"

#include <algorithm>

namespace generative_ik::description {
namespace {

// Frames of leaves that coincide differ by no more than this.
constexpr double kSame = 1e-9;

/// A link, the last joint above it that moves it against the base, and its frame in that joint.
struct Leaf {
  urdf::LinkConstSharedPtr link;
  JointPointer mover;
  Eigen::Isometry3d in_mover = Eigen::Isometry3d::Identity();
};

}  // namespace

std::vector<JointPointer> jointsAbove(const Model& model, const std::string& link) {
  std::vector<JointPointer> joints;
  for (auto at = model.getLink(link); at->parent_joint != nullptr;) {
    joints.push_back(at->parent_joint);
    at = model.getLink(at->parent_joint->parent_link_name);
  }
  return joints;
}

std::vector<Step> pathBetween(const Model& model, const std::string& base,
                              const std::string& tip) {
  std::vector<JointPointer> up = jointsAbove(model, base);
  std::vector<JointPointer> down = jointsAbove(model, tip);
  while (!up.empty() && !down.empty() && up.back() == down.back()) {
    up.pop_back();
    down.pop_back();
  }
  std::vector<Step> path;
  for (const JointPointer& joint : up) {
    path.push_back({joint, false});
  }
  for (auto joint = down.rbegin(); joint != down.rend(); ++joint) {
    path.push_back({*joint, true});
  }
  return path;
}

std::string onlyTip(const Model& model, const std::string& base) {
  std::vector<Leaf> below = {{model.getLink(base), nullptr}};
  std::vector<Leaf> leaves;
  while (!below.empty()) {
    const Leaf at = below.back();
    below.pop_back();
    if (at.link->child_joints.empty() && at.mover != nullptr) {
      leaves.push_back(at);
    }
    for (const auto& joint : at.link->child_joints) {
      const auto child = model.getLink(joint->child_link_name);
      if (moves(*joint)) {
        below.push_back({child, joint});
      } else if (joint->type == urdf::Joint::FIXED) {
        below.push_back({child, at.mover, at.in_mover * originOf(*joint)});
      }
    }
  }
  if (leaves.empty()) {
    refuse("no joint moves any link below the base " + quoted(base));
  }
  std::vector<std::string> names;
  bool one = true;
  for (const Leaf& leaf : leaves) {
    names.push_back(leaf.link->name);
    one = one && leaf.mover == leaves.front().mover &&
          leaf.in_mover.isApprox(leaves.front().in_mover, kSame);
  }
  std::sort(names.begin(), names.end());
  if (!one) {
    refuse("the robot has several possible tip links below " + quoted(base) +
           "; choose tip_link from: " + listed(names));
  }
  return names.front();
}

void attachFixed(const Model& model, std::map<std::string, ChainFrame>& links) {
  std::vector<std::string> reached;
  for (const auto& [name, frame] : links) {
    reached.push_back(name);
  }
  while (!reached.empty()) {
    const auto link = model.getLink(reached.back());
    const ChainFrame at = links.at(link->name);
    reached.pop_back();
    std::vector<Step> steps;
    if (link->parent_joint != nullptr) {
      steps.push_back({link->parent_joint, false});
    }
    for (const auto& joint : link->child_joints) {
      steps.push_back({joint, true});
    }
    for (const Step& step : steps) {
      if (step.joint->type != urdf::Joint::FIXED) {
        continue;
      }
      const Eigen::Isometry3d origin = originOf(*step.joint);
      const Eigen::Isometry3d motion = step.down ? origin : origin.inverse();
      if (links.insert({step.link(), {at.num_joints, at.in_last_joint * motion}}).second) {
        reached.push_back(step.link());
      }
    }
  }
}

}  // namespace generative_ik::description

#include <algorithm>
#include <generative_ik/srdf.hpp>
#include <iterator>
#include <set>
#include <stdexcept>

#include "links.hpp"

namespace generative_ik {
namespace {

using description::JointPointer;
using description::quoted;

// Tips of a group of more than so many groups have to be named.
constexpr std::size_t kMostMembers = 256;

[[noreturn]] void refuseGroup(const std::string& why) {
  throw std::invalid_argument("SRDF: " + why);
}

// The groups of an SRDF as they are in a robot.
class Groups {
 public:
  Groups(const description::Model& model, const Srdf& srdf) : model_(model), srdf_(srdf) {
    listTopDown(model.getRoot());
  }

  UrdfGroup read(const std::string& name) const {
    const std::vector<JointPointer> joints = jointsOf(name);
    UrdfGroup read;
    for (const JointPointer& joint : joints) {
      if (description::moves(*joint)) {
        read.joint_names.push_back(joint->name);
      }
    }
    if (read.joint_names.empty()) {
      refuseGroup("no joint of group " + quoted(name) + " moves");
    }
    const PlanningGroup& group = srdf_.groups.at(name);
    read.base_link = isChain(group) ? group.chains[0].first : commonRoot(joints);
    const std::string tip = onlyTipOf(name, joints);
    read.tip_links = tip.empty() ? tipsOf(name) : std::vector<std::string>{tip};
    return read;
  }

 private:
  // Depth first, siblings by name: the order of MoveIt's variables.
  void listTopDown(const urdf::LinkConstSharedPtr& root) {
    std::vector<urdf::LinkConstSharedPtr> below = {root};
    while (!below.empty()) {
      const urdf::LinkConstSharedPtr link = below.back();
      below.pop_back();
      if (link->parent_joint != nullptr) {
        top_down_.push_back(link->parent_joint);
      }
      std::vector<JointPointer> joints(link->child_joints.begin(), link->child_joints.end());
      std::sort(joints.begin(), joints.end(),
                [](const auto& one, const auto& other) { return one->name > other->name; });
      for (const JointPointer& joint : joints) {
        below.push_back(model_.getLink(joint->child_link_name));
      }
    }
  }

  static bool isChain(const PlanningGroup& group) {
    return group.chains.size() == 1 && group.joints.empty() && group.links.empty() &&
           group.subgroups.empty();
  }

  const PlanningGroup& named(const std::string& name) const {
    const auto found = srdf_.groups.find(name);
    if (found == srdf_.groups.end()) {
      std::vector<std::string> names;
      for (const auto& [known, group] : srdf_.groups) {
        names.push_back(known);
      }
      refuseGroup("no group " + quoted(name) + "; groups: " + description::listed(names));
    }
    return found->second;
  }

  // A group and all its subgroups, each once, also where they contain each other in a circle.
  std::set<std::string> membersOf(const std::string& name) const {
    std::set<std::string> found;
    std::vector<std::string> next = {name};
    while (!next.empty()) {
      const std::string group = next.back();
      next.pop_back();
      const std::vector<std::string>& subgroups = named(group).subgroups;
      if (found.insert(group).second) {
        next.insert(next.end(), subgroups.begin(), subgroups.end());
      }
    }
    return found;
  }

  const urdf::Link& linkNamed(const std::string& name) const {
    const urdf::LinkConstSharedPtr link = model_.getLink(name);
    if (link == nullptr) {
      refuseGroup("the robot has no link " + quoted(name));
    }
    return *link;
  }

  // With those of subgroups, fixed ones included, top down.
  std::vector<JointPointer> jointsOf(const std::string& name) const {
    std::set<JointPointer> joints;
    for (const std::string& member : membersOf(name)) {
      const PlanningGroup& group = named(member);
      for (const std::string& joint : group.joints) {
        if (model_.getJoint(joint) == nullptr) {
          refuseGroup("the robot has no joint " + quoted(joint));
        }
        joints.insert(model_.getJoint(joint));
      }
      for (const std::string& link : group.links) {
        joints.insert(linkNamed(link).parent_joint);
      }
      for (const auto& [base, tip] : group.chains) {
        linkNamed(base);
        linkNamed(tip);
        for (const description::Step& step : description::pathBetween(model_, base, tip)) {
          joints.insert(step.joint);
        }
      }
    }
    std::vector<JointPointer> ordered;
    std::copy_if(top_down_.begin(), top_down_.end(), std::back_inserter(ordered),
                 [&](const JointPointer& joint) { return joints.count(joint) != 0; });
    return ordered;
  }

  // The lowest link that is above all of them.
  std::string commonRoot(const std::vector<JointPointer>& joints) const {
    std::vector<JointPointer> common =
        description::jointsAbove(model_, joints.front()->parent_link_name);
    for (const JointPointer& joint : joints) {
      const std::vector<JointPointer> above =
          description::jointsAbove(model_, joint->parent_link_name);
      const std::size_t most = std::min(common.size(), above.size());
      common.erase(common.begin(), common.end() - static_cast<std::ptrdiff_t>(most));
      while (!common.empty() && common.front() != above[above.size() - common.size()]) {
        common.erase(common.begin());
      }
    }
    return common.empty() ? model_.getRoot()->name : common.front()->child_link_name;
  }

  // The end of its one chain, or where its one end effector is, or the end of a serial group.
  std::string onlyTipOf(const std::string& name, const std::vector<JointPointer>& joints) const {
    const PlanningGroup& group = named(name);
    if (isChain(group)) {
      return group.chains[0].second;
    }
    const std::vector<std::string> mounts = mountsOf(name);
    if (mounts.size() == 1) {
      return mounts[0];
    }
    const std::string& last = joints.back()->child_link_name;
    const std::vector<JointPointer> above = description::jointsAbove(model_, last);
    const bool serial = std::all_of(joints.begin(), joints.end(), [&](const JointPointer& joint) {
      return std::find(above.begin(), above.end(), joint) != above.end();
    });
    return serial ? last : "";
  }

  // Links on which a group carries end effectors, each once; none if the robot lacks one.
  std::vector<std::string> mountsOf(const std::string& name) const {
    std::vector<std::string> mounts;
    for (const EndEffector& tool : srdf_.end_effectors) {
      if (tool.parent_group != name) {
        continue;
      }
      if (model_.getLink(tool.parent_link) == nullptr) {
        return {};
      }
      addOnce(tool.parent_link, mounts);
    }
    return mounts;
  }

  // Of its end effectors, or of its chains and subgroups; not what is on the way to another tip.
  std::vector<std::string> tipsOf(const std::string& name) const {
    if (membersOf(name).size() > kMostMembers) {
      return {};
    }
    std::vector<std::string> found;
    std::set<std::string> seen;
    std::vector<std::string> next = {name};
    while (!next.empty()) {
      const std::string group = next.back();
      next.pop_back();
      if (seen.insert(group).second) {
        addTips(group, found, next);
      }
    }
    std::set<std::string> passed;
    for (const std::string& tip : found) {
      for (const JointPointer& joint : description::jointsAbove(model_, tip)) {
        passed.insert(joint->parent_link_name);
      }
    }
    std::vector<std::string> tips;
    for (const std::string& tip : found) {
      if (passed.count(tip) == 0) {
        addOnce(tip, tips);
      }
    }
    return tips;
  }

  void addTips(const std::string& name, std::vector<std::string>& found,
               std::vector<std::string>& next) const {
    const std::vector<JointPointer> joints = jointsOf(name);
    if (std::none_of(joints.begin(), joints.end(),
                     [](const JointPointer& joint) { return description::moves(*joint); })) {
      return;
    }
    const std::string tip = onlyTipOf(name, joints);
    const std::vector<std::string> own =
        tip.empty() ? mountsOf(name) : std::vector<std::string>{tip};
    found.insert(found.end(), own.begin(), own.end());
    if (own.empty()) {
      const PlanningGroup& group = named(name);
      for (const auto& chain : group.chains) {
        found.push_back(chain.second);
      }
      next.insert(next.end(), group.subgroups.rbegin(), group.subgroups.rend());
    }
  }

  static void addOnce(const std::string& name, std::vector<std::string>& names) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }

  const description::Model& model_;
  const Srdf& srdf_;
  std::vector<JointPointer> top_down_;
};

}  // namespace

UrdfGroup readUrdfGroup(const std::string& urdf, const Srdf& srdf, const std::string& group) {
  return Groups(*description::modelOf(urdf).model, srdf).read(group);
}

}  // namespace generative_ik

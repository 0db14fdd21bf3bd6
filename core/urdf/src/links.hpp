/// The links of a robot description: ways between them, and what is attached to them.
#pragma once

#include <generative_ik/chain.hpp>
#include <map>
#include <string>
#include <vector>

#include "joints.hpp"

namespace generative_ik::description {

/// A joint, passed from parent to child or the other way.
struct Step {
  JointPointer joint;
  bool down;

  [[nodiscard]] const std::string& link() const {
    return down ? joint->child_link_name : joint->parent_link_name;
  }
};

/// The joints above a link, the nearest first.
std::vector<JointPointer> jointsAbove(const Model& model, const std::string& link);

/// The joints from one link to another, up to a link that is common to both and down again.
std::vector<Step> pathBetween(const Model& model, const std::string& base, const std::string& tip);

/// The only leaf that moves against the base, or the first of several that coincide. Throws if
/// there is none, or more.
std::string onlyTip(const Model& model, const std::string& base);

/// Adds the links that fixed joints attach to those of a chain, and to the added ones in turn.
void attachFixed(const Model& model, std::map<std::string, ChainFrame>& links);

}  // namespace generative_ik::description

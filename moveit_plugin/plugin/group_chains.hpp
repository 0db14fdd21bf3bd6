// The chains from the base of a planning group to its tips.
#pragma once

#include <generative_ik/chain.hpp>
#include <string>
#include <vector>

#include "moveit_headers.hpp"

namespace generative_ik_ros {

// The chain from a base to each tip; it may lead up to a link above both, and down again. Throws
// std::invalid_argument if the robot has no such link, or a joint that moves a tip against the
// base is planar or floating, or driven by a joint that is not in the group.
std::vector<generative_ik::Chain> chainsOf(const moveit::core::JointModelGroup& group,
                                           const std::string& base,
                                           const std::vector<std::string>& tips);

// The links that a group that is no chain has poses for: those of its end effectors, or the last
// ones of its subgroups that are chains, of which none is part of another. Empty: they have to be
// named.
std::vector<std::string> tipsOf(const moveit::core::JointModelGroup& group);

}  // namespace generative_ik_ros

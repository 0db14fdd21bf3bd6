/// Planning groups and disabled collisions of a robot, from its SRDF: of the component `urdf`.
#pragma once

#include <generative_ik/collision_model.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace generative_ik {

/// A planning group as the SRDF defines it; whether the robot has its parts is not checked.
struct PlanningGroup {
  std::vector<std::pair<std::string, std::string>> chains;  ///< Base and tip link of each.
  std::vector<std::string> joints;                          ///< Joints named one by one.
  std::vector<std::string> links;      ///< The joint above each belongs to the group.
  std::vector<std::string> subgroups;  ///< Groups all of whose joints belong to this one.
};

/// A tool at the end of an arm.
struct EndEffector {
  std::string name;
  std::string parent_link;   ///< That it is mounted on.
  std::string group;         ///< Of its own joints.
  std::string parent_group;  ///< Of the arm that carries it; empty where the SRDF says nothing.
};

/// What an SRDF says of groups and collisions. Pairs are in alphabetical order, each once.
struct Srdf {
  std::map<std::string, PlanningGroup> groups;  ///< By name.
  std::vector<EndEffector> end_effectors;       ///< In the order of the text.
  NamePairs disabled_collisions;
  std::vector<std::string> unchecked_links;  ///< Not checked against anything by default.
  NamePairs enabled_collisions;              ///< Checked although one is such a link.

  /// What a `CollisionModel` of these links takes: their pairs that are not to be checked, in
  /// MoveIt's order of precedence. A disabled pair is not, whatever else is said of it; then an
  /// enabled one is; of the others those with an unchecked link are not.
  [[nodiscard]] NamePairs uncheckedPairs(const std::vector<CollisionLink>& links) const;
};

/// Reads groups, end effectors and collisions, as Python's `SemanticDescription` does; no file
/// that the text names is opened.
///
/// Throws std::invalid_argument if the text is no XML, declares a DOCTYPE, is unexpanded xacro or
/// no SRDF, a group is there twice, or a group, one of its members or an end effector has no name.
Srdf readSrdf(const std::string& srdf);

/// A planning group in a robot.
struct UrdfGroup {
  std::string base_link;  ///< Above all of the group's joints.
  /// Links that the group's poses are for, from each of which `readUrdf` cuts a chain to the base:
  /// the end of its chain or its end effector's link; where it has no one tip, those of its end
  /// effectors, or of its chains and subgroups. Empty where they have to be named.
  std::vector<std::string> tip_links;
  /// Its joints that move, parents before children, siblings in alphabetical order, as MoveIt has
  /// them; those that mimic others are among them.
  std::vector<std::string> joint_names;
};

/// Finds a group of an SRDF in a robot, as Python's `JointGroup.from_srdf` does.
///
/// Throws std::invalid_argument as `readUrdf` does of the URDF's text, if there is no such group
/// or subgroup, the robot lacks a joint or link that it names, or the group moves nothing.
UrdfGroup readUrdfGroup(const std::string& urdf, const Srdf& srdf, const std::string& group);

}  // namespace generative_ik

/// Chains cut out of robot descriptions: the component `urdf`, which needs urdfdom.
#pragma once

#include <functional>
#include <generative_ik/chain.hpp>
#include <generative_ik/collision_model.hpp>
#include <map>
#include <string>
#include <vector>

namespace generative_ik {

/// A chain between two links of a robot.
struct UrdfChain {
  Chain chain;
  /// Greatest velocity of each variable (size) [rad/s or m/s]: its own, or less where a joint that
  /// mimics it would be faster than it may; inf where none above 0 is given.
  Vector velocity_limits;
  std::string base_link;  ///< In whose frame poses are given.
  std::string tip_link;   ///< Whose pose is given.
  /// Where the links are that move as the chain does, by name: those on the way, and those that
  /// fixed joints attach to them.
  std::map<std::string, ChainFrame> links;
};

/// Cuts the chain between two links out of a robot; it may lead up to a link that is common to
/// both and down again.
///
/// The same chain as Python's `KinematicChain.from_urdf`: variables are the joints on the way that
/// mimic no other, and those that others mimic, in this order; limits leave what mimics a variable
/// inside its own; revolute joints with limits of more than 100 turns are continuous.
///
/// Args:
///   urdf: The description's text.
///   base_link: Empty for the robot's root.
///   tip_link: Empty for the one leaf below the base that moves against it; leaves that coincide
///   in
///     every configuration count as one.
///   fixed: Joints that stand at a position [rad or m] instead of being variables, by name; what
///     mimics them stands, too.
///
/// Throws std::invalid_argument if the text is no sound description, there is no such link or
/// joint, or not one tip, or the joints in between cannot be used; the message says why. What
/// urdfdom says of the text, it prints itself.
UrdfChain readUrdf(const std::string& urdf, const std::string& base_link = {},
                   const std::string& tip_link = {},
                   const std::map<std::string, double>& fixed = {});

/// Reads the file of a mesh, as the description names it: package://, file:// or a path.
using MeshReader = std::function<Mesh(const std::string& address)>;

/// The collision geometry of a robot, for a `CollisionModel` of a chain.
struct UrdfCollisions {
  std::vector<CollisionLink> links;  ///< Those that have shapes, of the whole robot.
  NamePairs joined;                  ///< Links that a joint joins, which touch where it does.
};

/// Reads the collision elements of all links. Joints that the chain does not move stand at
/// `fixed`, or else at 0 or the nearest limit.
///
/// Args:
///   urdf: The description's text.
///   robot: The chain that `readUrdf` has read from it.
///   read_mesh: Gives vertices and faces of a mesh [m], which are then scaled as the description
///     says; without one, a mesh is refused.
///   fixed: Positions of joints by name [rad or m], as `readUrdf` had them.
///
/// Throws std::invalid_argument as `readUrdf` does, or if a link that the chain does not reach
/// moves with one of its variables, or a shape is none that there is.
UrdfCollisions readUrdfCollisions(const std::string& urdf, const UrdfChain& robot,
                                  const MeshReader& read_mesh = {},
                                  const std::map<std::string, double>& fixed = {});

}  // namespace generative_ik

/// Six-joint arms of special kinds, by how their axes lie: what their closed forms need of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "joint_axes.hpp"

namespace generative_ik::recognition {

/// What an arm was recognised as.
struct Recognized {
  std::string name;  ///< What a user may read, with {0} to {5} in the place of joint numbers.
  std::string_view family;
  JointAxes axes;           ///< As they are moved for it.
  std::vector<double> own;  ///< What the family adds to the parameters that all have.
};

/// A spherical wrist after three revolute joints that can place it.
std::optional<Recognized> sphericalWrist(const JointAxes& given);

/// A spherical wrist after three joints, some of them prismatic, that can place it. How each order
/// of joints is solved is said in `closed_form/prismatic_wrist.hpp`.
std::optional<Recognized> prismaticWrist(const JointAxes& given);

/// Three parallel axes between others that are not parallel to them.
std::optional<Recognized> threeParallel(const JointAxes& given);

/// A wrist of two axes that intersect after an arm in a plane.
std::optional<Recognized> offsetWrist(const JointAxes& given);

}  // namespace generative_ik::recognition

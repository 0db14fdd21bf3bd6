/// The joints of a robot description, as urdfdom reads them.
#pragma once

#include <urdf_model/model.h>

#include <Eigen/Geometry>
#include <cstddef>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace generative_ik::description {

using Model = urdf::ModelInterface;
using JointPointer = urdf::JointConstSharedPtr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Larger numbers are taken for mistakes [rad or m].
constexpr double kLargest = 1e6;

/// Throws std::invalid_argument.
[[noreturn]] void refuse(const std::string& why);

std::string quoted(const std::string& name);
std::string listed(const std::vector<std::string>& names);

bool isPrismatic(const urdf::Joint& joint);
bool moves(const urdf::Joint& joint);

/// The description of a robot.
struct Description {
  std::shared_ptr<Model> model;
  /// Links, and which of their collision elements are capsules: the model, as not every urdfdom
  /// knows capsules, has them as cylinders without the caps.
  std::set<std::pair<std::string, std::size_t>> capsules;
};

/// Throws if urdfdom does not read it.
Description modelOf(const std::string& urdf);

Eigen::Isometry3d transformOf(const urdf::Pose& pose);

/// The frame of the joint in its parent link.
Eigen::Isometry3d originOf(const urdf::Joint& joint);

/// A unit vector; throws for one of zero length.
Eigen::Vector3d axisOf(const urdf::Joint& joint);

/// The child link in the frame of the joint, at a position [rad or m].
Eigen::Isometry3d motionOf(const urdf::Joint& joint, double position);

/// Lower and upper [rad or m]; infinite where there are none.
struct Limits {
  double lower = -kInfinity;
  double upper = kInfinity;
};

Limits limitsOf(const urdf::Joint& joint);

/// The greatest velocity [rad/s or m/s]; infinite where none above 0 is given.
double velocityOf(const urdf::Joint& joint);

/// What moves a joint: its position is multiplier * that of the driver + offset.
struct Driver {
  JointPointer joint;
  double multiplier = 1.0;
  double offset = 0.0;
};

/// Throws if joints mimic each other in a circle, or one that does not exist or move.
Driver driverOf(const Model& model, JointPointer joint);

}  // namespace generative_ik::description

// What the parameters of a controller say about its kinematics.
#pragma once

#include <functional>  // which Humble's header below lacks
#include <rclcpp/node_interfaces/node_parameters_interface.hpp>
#include <string>
#include <vector>

namespace generative_ik_ros {

using Parameters = rclcpp::node_interfaces::NodeParametersInterface;

struct Settings {
  std::string robot_description;
  std::string base_link;  // empty: the root of the robot
  std::string tip_link;
  double damping = 5e-6;  // of the inverse; the default is that of kinematics_interface_kdl
  std::vector<std::string> controller_joints;  // in their order; empty: unknown
};

// Reads `robot_description` and `joints`, and `base`, `tip` and `alpha`, whose names begin with a
// prefix. What is not there keeps its default. Throws std::invalid_argument if a parameter has
// another type.
Settings readSettings(const Parameters& parameters, const std::string& prefix);

}  // namespace generative_ik_ros

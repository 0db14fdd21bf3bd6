// The node's parameters: those of the Python node that it needs, with the same names and defaults.
#pragma once

#include <rclcpp/rclcpp.hpp>
#include <string>
#include <vector>

#include "arm.hpp"
#include "loop.hpp"

namespace generative_ik_servo {

struct Settings {
  std::string robot_description;
  std::string base_link;
  std::string tip_link;
  bool servo = false;
  ArmOptions arm;
  LoopOptions loop;
  // Why nothing is commanded with these: something is asked for that only the Python node does.
  std::string only_in_python;
};

// Declares the parameters. Throws std::invalid_argument if an initial value is not what it must
// be.
Settings declareSettings(rclcpp::Node& node);

// The settings after changes. Throws std::invalid_argument if a value is not what it must be.
Settings changedSettings(const rclcpp::Node& node, const std::vector<rclcpp::Parameter>& changes);

}  // namespace generative_ik_servo

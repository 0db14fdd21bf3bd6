#include "settings.hpp"

#include <rclcpp/parameter.hpp>
#include <stdexcept>

namespace generative_ik_ros {
namespace {

using Type = rclcpp::ParameterType;

// Without a value if there is no such parameter.
rclcpp::Parameter parameterOf(const Parameters& parameters, const std::string& name) {
  rclcpp::Parameter parameter(name);
  if (parameters.has_parameter(name)) {
    parameters.get_parameter(name, parameter);
  }
  return parameter;
}

[[noreturn]] void refuse(const rclcpp::Parameter& parameter, const std::string& wanted) {
  throw std::invalid_argument("parameter " + parameter.get_name() + " is a " +
                              parameter.get_type_name() + ", but must be a " + wanted);
}

void read(const Parameters& parameters, const std::string& name, std::string& value) {
  const rclcpp::Parameter parameter = parameterOf(parameters, name);
  if (parameter.get_type() == Type::PARAMETER_STRING) {
    value = parameter.as_string();
  } else if (parameter.get_type() != Type::PARAMETER_NOT_SET) {
    refuse(parameter, "string");
  }
}

void read(const Parameters& parameters, const std::string& name, double& value) {
  const rclcpp::Parameter parameter = parameterOf(parameters, name);
  if (parameter.get_type() == Type::PARAMETER_DOUBLE) {
    value = parameter.as_double();
  } else if (parameter.get_type() == Type::PARAMETER_INTEGER) {
    value = static_cast<double>(parameter.as_int());
  } else if (parameter.get_type() != Type::PARAMETER_NOT_SET) {
    refuse(parameter, "number");
  }
}

}  // namespace

Settings readSettings(const Parameters& parameters, const std::string& prefix) {
  Settings settings;
  read(parameters, "robot_description", settings.robot_description);
  read(parameters, prefix + "base", settings.base_link);
  read(parameters, prefix + "tip", settings.tip_link);
  read(parameters, prefix + "alpha", settings.damping);
  const rclcpp::Parameter joints = parameterOf(parameters, "joints");
  if (joints.get_type() == Type::PARAMETER_STRING_ARRAY) {
    settings.controller_joints = joints.as_string_array();
  }
  return settings;
}

}  // namespace generative_ik_ros

#include "settings.hpp"

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

#include "text.hpp"

namespace generative_ik_servo {
namespace {

using rclcpp::ParameterType;
using rclcpp::ParameterValue;

constexpr double kNoBound = std::numeric_limits<double>::infinity();

// A parameter: its default value, what it is for, and between which numbers it is.
struct Entry {
  const char* name;
  ParameterValue value;
  const char* description;
  double low = 0.0;
  double high = 0.0;
};

const std::vector<Entry>& table() {
  static const std::vector<Entry> entries = {
      {"robot_description", ParameterValue(""),
       "URDF text of the robot; empty: wait for the topic robot_description"},
      {"base_link", ParameterValue(""), "link that targets are given in; empty: the robot's root"},
      {"tip_link", ParameterValue(""),
       "link that goes to the targets; empty: determined from the robot description"},
      {"position_tolerance", ParameterValue(1e-5), "within which the tip is on the target [m]",
       1e-12, kNoBound},
      {"orientation_tolerance", ParameterValue(1e-5),
       "within which the tip is on the target [rad]", 1e-12, kNoBound},
      {"servo", ParameterValue(false),
       "whether the arm follows ~/servo_target and ~/servo_twist by ~/servo_commands"},
      {"servo_rate", ParameterValue(250.0), "rate of servo commands [Hz]", 1.0, 2000.0},
      {"servo_timeout", ParameterValue(0.1),
       "time after the last target at which the arm begins to brake [s]", 0.005, 60.0},
      {"servo_filter", ParameterValue(5.0),
       "cutoff frequency of the filter of servo targets; 0: none [Hz]", 0.0, 1000.0},
      {"servo_velocity_limits", ParameterValue(""),
       "velocity limits of the servo [rad/s or m/s], one for all joints or one for each, "
       "separated by spaces; empty: the robot description's"},
      {"servo_acceleration_limits", ParameterValue(""),
       "likewise acceleration limits [rad/s^2 or m/s^2]; empty: each joint reaches its velocity "
       "limit in 1 s"},
      {"servo_priority", ParameterValue(0),
       "real-time priority of the thread that commands, by SCHED_FIFO; 0: none", 0, 99},
      {"servo_lock_memory", ParameterValue(false),
       "whether the process's memory is kept from being paged out"},
      {"avoid_collisions", ParameterValue(false),
       "not done by this node, which commands nothing if it is set"},
      {"joint_limits", ParameterValue(""), "likewise"},
      {"soft_limits", ParameterValue(false), "likewise"},
      {"loops", ParameterValue(""), "likewise"},
  };
  return entries;
}

[[noreturn]] void refuse(const Entry& entry, const std::string& why) {
  throw std::invalid_argument(std::string("parameter ") + entry.name + " " + why);
}

std::string textOf(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

template <class Number>
std::string numbersText(const std::vector<Number>& numbers) {
  std::vector<std::string> words;
  for (const Number number : numbers) {
    words.push_back(shortNumber(static_cast<double>(number)));
  }
  return textOf(words);
}

// In a shell and in YAML, people write 1 where they mean 1.0, and lists as lists.
std::string asText(const Entry& entry, const ParameterValue& value) {
  switch (value.get_type()) {
    case ParameterType::PARAMETER_STRING:
      return value.get<std::string>();
    case ParameterType::PARAMETER_INTEGER:
      return shortNumber(static_cast<double>(value.get<std::int64_t>()));
    case ParameterType::PARAMETER_DOUBLE:
      return shortNumber(value.get<double>());
    case ParameterType::PARAMETER_INTEGER_ARRAY:
      return numbersText(value.get<std::vector<std::int64_t>>());
    case ParameterType::PARAMETER_DOUBLE_ARRAY:
      return numbersText(value.get<std::vector<double>>());
    case ParameterType::PARAMETER_STRING_ARRAY:
      return textOf(value.get<std::vector<std::string>>());
    default:
      refuse(entry, "must be a string");
  }
}

double asNumber(const Entry& entry, const ParameterValue& value) {
  double number = 0.0;
  if (value.get_type() == ParameterType::PARAMETER_INTEGER) {
    number = static_cast<double>(value.get<std::int64_t>());
  } else if (value.get_type() == ParameterType::PARAMETER_DOUBLE) {
    number = value.get<double>();
  } else {
    refuse(entry, "must be a number");
  }
  if (!(entry.low <= number && number <= entry.high)) {
    refuse(entry, "must be between " + shortNumber(entry.low) + " and " + shortNumber(entry.high) +
                      ", not " + shortNumber(number));
  }
  return number;
}

bool asBool(const Entry& entry, const ParameterValue& value) {
  if (value.get_type() != ParameterType::PARAMETER_BOOL) {
    refuse(entry, "must be true or false");
  }
  return value.get<bool>();
}

using Values = std::function<ParameterValue(const std::string&)>;

// Reads the values by the table.
class Reader {
 public:
  explicit Reader(const Values& values) : values_(values) {}

  [[nodiscard]] std::string text(const char* name) const {
    return asText(entry(name), values_(name));
  }
  [[nodiscard]] double number(const char* name) const {
    return asNumber(entry(name), values_(name));
  }
  [[nodiscard]] bool flag(const char* name) const { return asBool(entry(name), values_(name)); }

 private:
  static const Entry& entry(const std::string& name) {
    for (const Entry& one : table()) {
      if (one.name == name) {
        return one;
      }
    }
    throw std::logic_error("no parameter " + name);
  }

  const Values& values_;
};

std::string onlyInPython(const Reader& values) {
  std::vector<std::string> names;
  for (const char* name : {"avoid_collisions", "soft_limits"}) {
    if (values.flag(name)) {
      names.emplace_back(name);
    }
  }
  for (const char* name : {"joint_limits", "loops"}) {
    if (!values.text(name).empty()) {
      names.emplace_back(name);
    }
  }
  if (names.empty()) {
    return {};
  }
  return listed(names) +
         ": not done by this node, which commands nothing while set; generative_ik_node of "
         "generative_ik_ros does it (servo_node:=python)";
}

Settings settingsOf(const Values& of) {
  const Reader values(of);
  Settings settings;
  settings.robot_description = values.text("robot_description");
  settings.base_link = values.text("base_link");
  settings.tip_link = values.text("tip_link");
  settings.servo = values.flag("servo");
  ArmOptions& arm = settings.arm;
  arm.rate = values.number("servo_rate");
  arm.timeout = values.number("servo_timeout");
  arm.cutoff = values.number("servo_filter");
  for (const auto& [name, limits] :
       {std::pair("servo_velocity_limits", &arm.velocity_limits),
        std::pair("servo_acceleration_limits", &arm.acceleration_limits)}) {
    *limits = positiveNumbers(name, values.text(name));
  }
  arm.tolerance = {values.number("position_tolerance"), values.number("orientation_tolerance")};
  const double priority = values.number("servo_priority");
  if (priority != std::floor(priority)) {
    throw std::invalid_argument("parameter servo_priority must be a whole number");
  }
  settings.loop = {static_cast<int>(priority), values.flag("servo_lock_memory")};
  settings.only_in_python = onlyInPython(values);
  return settings;
}

}  // namespace

Settings declareSettings(rclcpp::Node& node) {
  for (const Entry& entry : table()) {
    rcl_interfaces::msg::ParameterDescriptor descriptor;
    descriptor.description = entry.description;
    // Values of another type that mean the same are taken.
    descriptor.dynamic_typing = true;
    if (entry.value.get_type() == ParameterType::PARAMETER_DOUBLE) {
      descriptor.floating_point_range.resize(1);
      descriptor.floating_point_range[0].from_value = entry.low;
      descriptor.floating_point_range[0].to_value = entry.high;
    }
    node.declare_parameter(entry.name, entry.value, descriptor);
  }
  return changedSettings(node, {});
}

Settings changedSettings(const rclcpp::Node& node, const std::vector<rclcpp::Parameter>& changes) {
  return settingsOf([&](const std::string& name) {
    for (const rclcpp::Parameter& change : changes) {
      if (change.get_name() == name) {
        return change.get_parameter_value();
      }
    }
    return node.get_parameter(name).get_parameter_value();
  });
}

}  // namespace generative_ik_servo

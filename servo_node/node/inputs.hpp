// What the servo follows: targets as messages have them, checked and in the base link.
#pragma once

#include <geometry_msgs/msg/pose_stamped.hpp>
#include <geometry_msgs/msg/twist_stamped.hpp>
#include <map>
#include <sensor_msgs/msg/joint_state.hpp>
#include <string>
#include <vector>

#include "arm.hpp"
#include "frames.hpp"

namespace generative_ik_servo {

// What a pose asks for, at a time [s]. Throws std::invalid_argument if it cannot be used.
Aim aimOf(const geometry_msgs::msg::PoseStamped& message, const Frames& frames,
          const generative_ik::UrdfChain& robot, double now);

// The same of a twist.
Aim aimOf(const geometry_msgs::msg::TwistStamped& message, const Frames& frames,
          const generative_ik::UrdfChain& robot, double now);

// The latest positions of all joints that joint states name, of which several nodes may publish
// some each.
class JointStates {
 public:
  // At a time [s]. What is not finite is not taken.
  void take(const sensor_msgs::msg::JointState& message, double now);

  // Of the joints of an arm.
  [[nodiscard]] Measured measured(const std::vector<std::string>& names) const;

  // The joints of which nothing has been heard of late.
  [[nodiscard]] std::vector<std::string> missing(const std::vector<std::string>& names,
                                                 double now) const;

 private:
  struct Position {
    double position;
    double arrived;
  };
  std::map<std::string, Position> joints_;
};

// Why an arm is not moved that is where it is measured.
std::string beyondLimits(const Arm& arm, const Measured& measured);

}  // namespace generative_ik_servo

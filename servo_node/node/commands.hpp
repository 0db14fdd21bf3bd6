// Commands for controllers of ros2_control.
#pragma once

#include <atomic>
#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/float64_multi_array.hpp>
#include <trajectory_msgs/msg/joint_trajectory.hpp>

#include "arm.hpp"

namespace generative_ik_servo {

// An arm with its messages, which are filled anew for each command.
struct CommandedArm : Arm {
  CommandedArm(const generative_ik::UrdfChain& robot, const ArmOptions& options, int joint_set);

  std_msgs::msg::Float64MultiArray positions;
  trajectory_msgs::msg::JointTrajectory trajectory;  // of one point, a period from now
};

// The topics `~/servo_commands` and `~/servo_trajectory`.
class Commands {
 public:
  explicit Commands(rclcpp::Node& node);

  // By the thread that commands.
  void publish(CommandedArm& arm, const generative_ik::TrackerStep& step);

  // Looks whether anyone takes trajectories; otherwise none are published.
  void look() { trajectories_wanted_ = trajectories_->get_subscription_count() > 0; }

 private:
  rclcpp::Publisher<std_msgs::msg::Float64MultiArray>::SharedPtr positions_;
  rclcpp::Publisher<trajectory_msgs::msg::JointTrajectory>::SharedPtr trajectories_;
  std::atomic<bool> trajectories_wanted_{false};
};

}  // namespace generative_ik_servo

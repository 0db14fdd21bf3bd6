#include "commands.hpp"

#include <algorithm>

namespace generative_ik_servo {
namespace {

// Commands that are kept until a reliable subscription has them: some seconds, after which the
// middleware asks again for what did not arrive.
constexpr std::size_t kKept = 1000;

}  // namespace

CommandedArm::CommandedArm(const generative_ik::UrdfChain& robot, const ArmOptions& options,
                           int joint_set)
    : Arm(robot, options, joint_set) {
  positions.data.resize(names.size());
  trajectory.joint_names = names;
  trajectory.points.resize(1);
  trajectory_msgs::msg::JointTrajectoryPoint& point = trajectory.points.front();
  point.positions.resize(names.size());
  point.velocities.resize(names.size());
  point.time_from_start = rclcpp::Duration::from_seconds(period());
}

Commands::Commands(rclcpp::Node& node)
    : positions_(node.create_publisher<std_msgs::msg::Float64MultiArray>("~/servo_commands",
                                                                         rclcpp::QoS(kKept))),
      trajectories_(node.create_publisher<trajectory_msgs::msg::JointTrajectory>(
          "~/servo_trajectory", rclcpp::QoS(kKept))) {}

void Commands::publish(CommandedArm& arm, const generative_ik::TrackerStep& step) {
  std::copy(step.positions.begin(), step.positions.end(), arm.positions.data.begin());
  positions_->publish(arm.positions);
  if (trajectories_wanted_) {
    trajectory_msgs::msg::JointTrajectoryPoint& point = arm.trajectory.points.front();
    std::copy(step.positions.begin(), step.positions.end(), point.positions.begin());
    std::copy(step.velocities.begin(), step.velocities.end(), point.velocities.begin());
    trajectories_->publish(arm.trajectory);
  }
}

}  // namespace generative_ik_servo

// The ROS 2 node: commands an arm towards what `~/servo_target` and `~/servo_twist` say.
#pragma once

#include <diagnostic_msgs/msg/diagnostic_array.hpp>
#include <geometry_msgs/msg/pose_stamped.hpp>
#include <geometry_msgs/msg/twist_stamped.hpp>
#include <memory>
#include <optional>
#include <rcl_interfaces/msg/set_parameters_result.hpp>
#include <rclcpp/rclcpp.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <std_msgs/msg/string.hpp>
#include <string>
#include <vector>

#include "commands.hpp"
#include "frames.hpp"
#include "inputs.hpp"
#include "loop.hpp"
#include "report.hpp"
#include "servo.hpp"
#include "settings.hpp"

namespace generative_ik_servo {

// Callbacks run on one thread, and hand over to the loop's what they have read.
class ServoNode : public rclcpp::Node {
 public:
  // Throws std::invalid_argument if the initial value of a parameter is not what it must be.
  explicit ServoNode(const rclcpp::NodeOptions& options = rclcpp::NodeOptions());
  ~ServoNode() override { finish(); }

  // Brakes, and waits until the arm is at rest. No callback may run any more.
  void finish();

 private:
  rcl_interfaces::msg::SetParametersResult changeParameters(
      const std::vector<rclcpp::Parameter>& changes);
  void describe(const std::string& urdf);
  void useRobot(generative_ik::UrdfChain robot, const std::string& urdf);
  void makeArm();
  [[nodiscard]] std::string missing();

  void open();
  void close();
  double tick(double now);
  void look();
  void switchOnOrOff();
  void publishStatus(const Report::Status& status, const ServoState& state);
  void warn(const std::string& line);

  template <class Message>
  void takeAim(const Message& message, Handover<Aim> Arm::*place);
  void takeJointState(const sensor_msgs::msg::JointState& message);
  void reportBlocked(const ServoState& state);

  Settings settings_;
  Frames frames_;
  JointStates joint_states_;
  Report report_;
  Lateness lateness_;
  Servo servo_;
  Loop loop_;

  std::string described_;  // the text of the robot
  std::string refusal_;    // of the last description
  std::optional<generative_ik::UrdfChain> robot_;
  std::string arm_refusal_;
  std::vector<std::unique_ptr<CommandedArm>> arms_;  // the newest one last
  CommandedArm* arm_ = nullptr;
  int joint_set_ = 0;
  std::vector<std::string> joints_;  // of that number

  std::unique_ptr<Commands> commands_;  // while it is switched on, or the arm still moves
  std::vector<rclcpp::SubscriptionBase::SharedPtr> inputs_;  // likewise
  std::string joint_states_topic_;
  rclcpp::Subscription<std_msgs::msg::String>::SharedPtr descriptions_;
  rclcpp::Publisher<diagnostic_msgs::msg::DiagnosticArray>::SharedPtr diagnostics_;
  rclcpp::node_interfaces::OnSetParametersCallbackHandle::SharedPtr parameters_;
  rclcpp::TimerBase::SharedPtr timer_;
  Report::Status published_;
  double publish_at_ = 0.0;
};

}  // namespace generative_ik_servo

// Asks a running node for configurations, through its ROS service.
// Start a node first: ros2 launch generative_ik_ros panda.launch.py
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <memory>

#include "generative_ik_ros/srv/get_ik_solutions.hpp"
#include "geometry_msgs/msg/pose.hpp"
#include "rclcpp/rclcpp.hpp"

using generative_ik_ros::srv::GetIKSolutions;
using std::chrono_literals::operator""s;

int main(int argc, char **argv) {
  rclcpp::init(argc, argv);
  auto node = std::make_shared<rclcpp::Node>("ik_client");
  auto client = node->create_client<GetIKSolutions>("generative_ik/get_ik_solutions");
  if (!client->wait_for_service(10s)) {
    RCLCPP_ERROR(node->get_logger(), "no node offers %s", client->get_service_name());
    return 1;
  }

  // One pose of the tip in the base link; fields that are left out take the node's defaults.
  auto request = std::make_shared<GetIKSolutions::Request>();
  geometry_msgs::msg::Pose pose;
  pose.position.x = 0.45;
  pose.position.y = 0.1;
  pose.position.z = 0.4;
  pose.orientation.x = 1.0;
  pose.orientation.w = 0.0;
  request->targets.poses.push_back(pose);
  request->num_solutions = 20;
  request->timeout = 0.5;

  auto future = client->async_send_request(request);
  if (rclcpp::spin_until_future_complete(node, future, 10s) != rclcpp::FutureReturnCode::SUCCESS) {
    RCLCPP_ERROR(node->get_logger(), "no answer");
    return 1;
  }
  const auto response = future.get();
  if (response->status < 0) {
    RCLCPP_ERROR(node->get_logger(), "%s", response->message.c_str());
    return 1;
  }

  // Flat arrays: positions has a row of n joint positions for each solution, best first.
  const std::size_t n = response->joint_names.size();
  for (std::size_t row = 0; row < response->counts.at(0); ++row) {
    for (std::size_t joint = 0; joint < n; ++joint) {
      std::printf("%8.4f", response->positions.at(row * n + joint));
    }
    std::printf("   %.1e m\n", response->position_errors.at(row));
  }
  rclcpp::shutdown();
  return 0;
}

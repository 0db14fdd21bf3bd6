// Conversion of poses to ROS messages.
#pragma once

#include <Eigen/Geometry>
#include <geometry_msgs/msg/pose.hpp>

namespace generative_ik_ros {

inline geometry_msgs::msg::Pose messageOf(const Eigen::Isometry3d& pose) {
  const Eigen::Quaterniond orientation(pose.linear());
  geometry_msgs::msg::Pose message;
  message.position.x = pose.translation().x();
  message.position.y = pose.translation().y();
  message.position.z = pose.translation().z();
  message.orientation.x = orientation.x();
  message.orientation.y = orientation.y();
  message.orientation.z = orientation.z();
  message.orientation.w = orientation.w();
  return message;
}

}  // namespace generative_ik_ros

// Frames of targets: links fixed to the base in the description, all others in TF.
#pragma once

#include <Eigen/Geometry>
#include <generative_ik/urdf.hpp>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <string>

namespace generative_ik_servo {

class Frames {
 public:
  // Listens to TF, where the node was built with tf2_ros.
  explicit Frames(rclcpp::Node& node);
  ~Frames();

  // The latest pose of a frame in the base link; does not wait for TF. An empty name is the base
  // link. Throws std::invalid_argument if the frame is neither fixed to the base nor in TF.
  [[nodiscard]] Eigen::Isometry3d inBase(const std::string& frame_id,
                                         const generative_ik::UrdfChain& robot) const;

 private:
  struct Tf;
  std::unique_ptr<Tf> tf_;
};

// Without the leading slash that names had in ROS 1.
std::string withoutSlash(const std::string& frame_id);

}  // namespace generative_ik_servo

#include "frames.hpp"

#include <stdexcept>
#include <vector>

#include "text.hpp"

#ifdef GENERATIVE_IK_SERVO_TF
#include <tf2/exceptions.h>
#if __has_include(<tf2_ros/buffer.hpp>)
#include <tf2_ros/buffer.hpp>
#include <tf2_ros/transform_listener.hpp>
#else
#include <tf2_ros/buffer.h>
#include <tf2_ros/transform_listener.h>
#endif
#endif

namespace generative_ik_servo {

#ifdef GENERATIVE_IK_SERVO_TF

struct Frames::Tf {
  explicit Tf(rclcpp::Node& node)
      : buffer(node.get_clock()), listener(buffer, &node, /*spin_thread=*/false) {}

  [[nodiscard]] Eigen::Isometry3d inBase(const std::string& frame_id,
                                         const std::string& base_link) const {
    try {
      const auto transform =
          buffer.lookupTransform(base_link, frame_id, tf2::TimePointZero).transform;
      const auto& p = transform.translation;
      const auto& q = transform.rotation;
      return Eigen::Translation3d(p.x, p.y, p.z) *
             Eigen::Quaterniond(q.w, q.x, q.y, q.z).normalized();
    } catch (const tf2::TransformException& error) {
      throw std::invalid_argument("frame '" + frame_id +
                                  "' cannot be transformed to the base link '" + base_link +
                                  "': " + error.what());
    }
  }

  tf2_ros::Buffer buffer;
  tf2_ros::TransformListener listener;
};

Frames::Frames(rclcpp::Node& node) : tf_(std::make_unique<Tf>(node)) {}

#else

struct Frames::Tf {
  [[nodiscard]] Eigen::Isometry3d inBase(const std::string&, const std::string&) const {
    return Eigen::Isometry3d::Identity();
  }
};

Frames::Frames(rclcpp::Node& /*node*/) {}

#endif

Frames::~Frames() = default;

Eigen::Isometry3d Frames::inBase(const std::string& frame_id,
                                 const generative_ik::UrdfChain& robot) const {
  const std::string frame = withoutSlash(frame_id);
  if (frame.empty() || frame == robot.base_link) {
    return Eigen::Isometry3d::Identity();
  }
  const auto fixed = robot.links.find(frame);
  if (fixed != robot.links.end() && fixed->second.num_joints == 0) {
    return fixed->second.in_last_joint;
  }
  if (tf_ != nullptr) {
    return tf_->inBase(frame, robot.base_link);
  }
  std::vector<std::string> known;
  for (const auto& [link, place] : robot.links) {
    if (place.num_joints == 0) {
      known.push_back(link);
    }
  }
  throw std::invalid_argument("frame '" + frame + "' is not fixed to the base link '" +
                              robot.base_link +
                              "', and tf2_ros is not installed to look it up; give targets in one "
                              "of: " +
                              listed(known));
}

std::string withoutSlash(const std::string& frame_id) {
  return !frame_id.empty() && frame_id.front() == '/' ? frame_id.substr(1) : frame_id;
}

}  // namespace generative_ik_servo

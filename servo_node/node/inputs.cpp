#include "inputs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>

#include "servo.hpp"
#include "text.hpp"

namespace generative_ik_servo {
namespace {

void checkMessage(const std::string& what_is_wrong) {
  if (!what_is_wrong.empty()) {
    throw std::invalid_argument(what_is_wrong);
  }
}

}  // namespace

Aim aimOf(const geometry_msgs::msg::PoseStamped& message, const Frames& frames,
          const generative_ik::UrdfChain& robot, double now) {
  const auto& p = message.pose.position;
  const auto& q = message.pose.orientation;
  checkMessage(whatIsWrongWithPose({p.x, p.y, p.z}, {q.x, q.y, q.z, q.w}));
  Aim aim;
  aim.arrived = now;
  aim.kind = Aim::Kind::kPose;
  aim.pose_in_base = frames.inBase(message.header.frame_id, robot) *
                     Eigen::Translation3d(p.x, p.y, p.z) *
                     Eigen::Quaterniond(q.w, q.x, q.y, q.z).normalized();
  return aim;
}

Aim aimOf(const geometry_msgs::msg::TwistStamped& message, const Frames& frames,
          const generative_ik::UrdfChain& robot, double now) {
  const auto& v = message.twist.linear;
  const auto& w = message.twist.angular;
  checkMessage(whatIsWrongWithTwist({v.x, v.y, v.z, w.x, w.y, w.z}));
  Aim aim;
  aim.arrived = now;
  aim.twist << v.x, v.y, v.z, w.x, w.y, w.z;
  aim.kind = Aim::Kind::kTwistOfTip;
  if (withoutSlash(message.header.frame_id) != robot.tip_link) {
    aim.kind = Aim::Kind::kTwist;
    aim.frame_in_base = frames.inBase(message.header.frame_id, robot).linear();
  }
  return aim;
}

void JointStates::take(const sensor_msgs::msg::JointState& message, double now) {
  const std::size_t count = std::min(message.name.size(), message.position.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (std::isfinite(message.position[i])) {
      joints_[message.name[i]] = {message.position[i], now};
    }
  }
}

Measured JointStates::measured(const std::vector<std::string>& names) const {
  const auto size = static_cast<Eigen::Index>(names.size());
  Measured measured{
      generative_ik::Vector::Zero(size),
      generative_ik::Vector::Constant(size, -std::numeric_limits<double>::infinity())};
  for (Eigen::Index v = 0; v < size; ++v) {
    const auto joint = joints_.find(names[static_cast<std::size_t>(v)]);
    if (joint != joints_.end()) {
      measured.positions[v] = joint->second.position;
      measured.arrived[v] = joint->second.arrived;
    }
  }
  return measured;
}

std::vector<std::string> JointStates::missing(const std::vector<std::string>& names,
                                              double now) const {
  std::vector<std::string> missing;
  for (const std::string& name : names) {
    const auto joint = joints_.find(name);
    if (joint == joints_.end() || now - joint->second.arrived > kMeasuredFor) {
      missing.push_back(name);
    }
  }
  return missing;
}

std::string beyondLimits(const Arm& arm, const Measured& measured) {
  for (Eigen::Index v = 0; v < measured.positions.size(); ++v) {
    const generative_ik::Variable& joint = arm.chain.variables()[static_cast<std::size_t>(v)];
    const double position = measured.positions[v];
    if (generative_ik::mayBeRead(joint, position)) {
      continue;
    }
    const bool below = position < joint.lower;
    const double limit = below ? joint.lower : joint.upper;
    std::array<char, 32> far{};
    (void)std::snprintf(far.data(), far.size(), "%.1g",
                        std::abs(position - limit));  // NOLINT(*-vararg)
    return "seed_state: joint '" + joint.name + "' is at " + shortNumber(position) +
           ", which is " + far.data() + " beyond its " + (below ? "lower" : "upper") + " limit " +
           shortNumber(limit);
  }
  return "seed_state: a joint is beyond its limits";
}

}  // namespace generative_ik_servo

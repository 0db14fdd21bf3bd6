// An arm that is to be commanded: its kinematics and limits, what it is to follow, and where it
// is.
#pragma once

#include <generative_ik/teleoperation.hpp>
#include <generative_ik/tracker.hpp>
#include <generative_ik/urdf.hpp>
#include <string>
#include <vector>

#include "handover.hpp"

namespace generative_ik_servo {

// Where the tip is to go, as the latest message says.
struct Aim {
  enum class Kind { kPose, kTwist, kTwistOfTip };

  double arrived = 0.0;  // by the steady clock [s]
  Kind kind = Kind::kPose;
  Eigen::Isometry3d pose_in_base = Eigen::Isometry3d::Identity();
  generative_ik::Twist twist = generative_ik::Twist::Zero();    // of the tip [m/s, rad/s]
  Eigen::Matrix3d frame_in_base = Eigen::Matrix3d::Identity();  // that the twist is given in
};

// Where joint states have the arm: a position of each joint [rad or m], and when it arrived [s].
struct Measured {
  generative_ik::Vector positions;
  generative_ik::Vector arrived;
};

// What a motion is made with; another one ends it.
struct ArmOptions {
  double rate = 250.0;                  // of commands [Hz]
  double timeout = 0.1;                 // after the last target the arm brakes [s]
  double cutoff = 5.0;                  // of the filter of targets [Hz]; 0: none
  std::vector<double> velocity_limits;  // one for all, one for each joint, or the description's
  std::vector<double> acceleration_limits;  // likewise; none: the velocity limit in 1 s
  generative_ik::Tolerance tolerance;       // within which the tip is on the target
};

// The tracker of an arm, and what other threads hand over to the one that commands it.
struct Arm {
  // Arms with the same joints have the same number `joint_set`. Throws std::invalid_argument if
  // the limits are not those of such an arm.
  Arm(const generative_ik::UrdfChain& robot, const ArmOptions& arm_options, int set_of_joints);

  [[nodiscard]] double period() const { return 1.0 / options.rate; }

  const generative_ik::Chain chain;
  const std::vector<std::string> names;  // of the joints
  const ArmOptions options;
  const int joint_set;

  // Written by one thread, read by the one that commands.
  Handover<Aim> poses;
  Handover<Aim> twists;
  Handover<Measured> measured;

  // Of the thread that commands alone.
  generative_ik::Tracker tracker;
  generative_ik::TargetFilter filter;
  generative_ik::Vector start;  // of the motion
};

}  // namespace generative_ik_servo

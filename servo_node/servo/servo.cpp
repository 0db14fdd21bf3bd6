#include "servo.hpp"

#include <cmath>

namespace generative_ik_servo {
namespace {

using generative_ik::TrackerStep;

// An arm that is measured this near to where it was commanded last goes on from there, so that
// commands do not jump by what its controller leaves over [rad or m].
constexpr double kSame = 0.02;
// Arms of more joints allocate when their first motion begins.
constexpr std::size_t kManyJoints = 64;

}  // namespace

Servo::Servo() {
  commanded_.reserve(kManyJoints);
}

bool Servo::uses(const Arm* arm) const {
  return arm != nullptr && (wanted_ == arm || used_ == arm);
}

const ServoState& Servo::state() {
  states_.take();
  return states_.last();
}

// What is wanted may be replaced, and removed once it is not used, while this looks at it: so it
// is said first that it is used, and then looked at again.
void Servo::useWantedArm() {
  Arm* arm = wanted_;
  for (used_ = arm; wanted_ != arm; used_ = arm) {
    arm = wanted_;
  }
  if (arm != arm_) {
    aim_ = nullptr;
  }
  arm_ = arm;
}

const TrackerStep* Servo::tick(double now) {
  if (!state_.moving) {
    useWantedArm();
  }
  const TrackerStep* step = nullptr;
  if (arm_ != nullptr) {
    const Aim* aim = newest(now);
    if (stopping_ || wanted_ != arm_) {
      aim = aim_ = nullptr;
    }
    if (!state_.moving && aim != nullptr) {
      begin(now);
    }
    if (state_.moving) {
      command(aim);
      step = &arm_->tracker.last();
    }
  }
  states_.write(state_);
  return step;
}

const Aim* Servo::newest(double now) {
  if (const Aim* twist = arm_->twists.take()) {
    aim_ = twist;
  }
  if (const Aim* pose = arm_->poses.take()) {
    aim_ = pose;
  }
  if (aim_ != nullptr && now - aim_->arrived > arm_->options.timeout) {
    aim_ = nullptr;
  }
  return aim_;
}

void Servo::begin(double now) {
  arm_->measured.take();
  const Measured& measured = arm_->measured.last();
  const auto& variables = arm_->chain.variables();
  const auto size = static_cast<std::size_t>(measured.positions.size());
  const bool same_joints = commanded_joint_set_ == arm_->joint_set && commanded_.size() == size;
  state_.blocked = Blocked::kNot;
  bool goes_on = same_joints;
  for (std::size_t v = 0; v < size; ++v) {
    const auto i = static_cast<Eigen::Index>(v);
    if (now - measured.arrived[i] > kMeasuredFor) {
      state_.blocked = Blocked::kNoJointStates;
    } else if (state_.blocked == Blocked::kNot &&
               !generative_ik::mayBeRead(variables[v], measured.positions[i])) {
      state_.blocked = Blocked::kBeyondLimits;
    }
    goes_on = goes_on && std::abs(commanded_[v] - measured.positions[i]) <= kSame;
  }
  if (state_.blocked != Blocked::kNot) {
    aim_ = nullptr;
    return;
  }
  if (goes_on) {
    arm_->start =
        Eigen::Map<const generative_ik::Vector>(commanded_.data(), measured.positions.size());
  } else {
    arm_->start = measured.positions;
  }
  arm_->tracker.reset(arm_->start);
  arm_->filter.reset();
  commanded_joint_set_ = arm_->joint_set;
  ++state_.motions;
  state_.moving = true;
  state_.following = false;
}

void Servo::command(const Aim* aim) {
  generative_ik::Tracker& tracker = arm_->tracker;
  state_.following = aim != nullptr;
  if (aim == nullptr) {
    arm_->filter.reset();
    tracker.brake();
  } else {
    const Eigen::Isometry3d tip = arm_->chain.tipInBase(tracker.last().positions);
    if (aim->kind == Aim::Kind::kPose) {
      tracker.step(arm_->filter.follow(aim->pose_in_base, tip));
    } else {
      const bool of_tip = aim->kind == Aim::Kind::kTwistOfTip;
      const Eigen::Matrix3d frame = of_tip ? Eigen::Matrix3d(tip.linear()) : aim->frame_in_base;
      tracker.step(arm_->filter.jog(aim->twist, frame, tip));
    }
    ++state_.followed;
  }
  const TrackerStep& step = tracker.last();
  commanded_.assign(step.positions.begin(), step.positions.end());
  ++state_.commands;
  state_.status = step.status;
  state_.reason = step.reason;
  state_.position_error = step.position_error;
  state_.orientation_error = step.orientation_error;
  if (!state_.following && step.velocities.cwiseAbs().maxCoeff() == 0.0) {
    state_.moving = false;
  }
}

void Servo::abandon() {
  state_.moving = state_.following = false;
  aim_ = nullptr;
  states_.write(state_);
}

}  // namespace generative_ik_servo

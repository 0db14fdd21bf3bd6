#include <algorithm>
#include <cmath>
#include <generative_ik/teleoperation.hpp>
#include <limits>
#include <stdexcept>
#include <string>

#include "../simd/constants.hpp"

namespace generative_ik {
namespace {

double positive(const char* name, double number) {
  if (!(number > 0.0) || !std::isfinite(number)) {
    throw std::invalid_argument(std::string(name) + " must be above 0 and finite");
  }
  return number;
}

// Beyond this a device makes no targets that mean anything, and in the end none that are finite.
constexpr double kLargestScale = 1e6;

double scaleOf(const char* name, double scale) {
  if (!(scale <= kLargestScale)) {
    throw std::invalid_argument(std::string(name) + " must be above 0 and at most 1e6");
  }
  return positive(name, scale);
}

double notNegative(const char* name, double number) {
  return number == 0.0 ? 0.0 : positive(name, number);
}

Twist turnedBy(const Eigen::Matrix3d& frame, const Twist& twist) {
  Twist turned;
  turned << frame * twist.head<3>(), frame * twist.tail<3>();
  return turned;
}

// The vector of the same rotation that is nearest to the one before, beyond half a turn too: a
// scaled rotation would jump otherwise, where its vector changes sides.
Eigen::Vector3d unwound(const Eigen::Vector3d& vector, const Eigen::Vector3d& before) {
  const double angle = vector.norm();
  if (angle == 0.0) {
    return vector;
  }
  const Eigen::Vector3d axis = vector / angle;
  return axis * (angle + kTurn * std::nearbyint((axis.dot(before) - angle) / kTurn));
}

// What stands for a target where there is none.
Eigen::Isometry3d noPose() {
  Eigen::Isometry3d pose;
  pose.matrix().setConstant(std::numeric_limits<double>::quiet_NaN());
  return pose;
}

bool isFinite(const Eigen::Isometry3d& pose) {
  return pose.matrix().allFinite();
}

Eigen::Vector3d shortened(const Eigen::Vector3d& vector, double most) {
  return vector * std::min(1.0, most / std::max(vector.stableNorm(), most));
}

// A motion in the same direction, with parts no longer than they may be.
Twist atMost(const Twist& motion, const Tolerance& most) {
  Twist less;
  less << shortened(motion.head<3>(), most.position),
      shortened(motion.tail<3>(), most.orientation);
  return less;
}

}  // namespace

Clutch::Clutch(double scale, double orientation_scale, const Eigen::Matrix3d& frame_in_base)
    : scale_(scaleOf("scale", scale)),
      orientation_scale_(
          orientation_scale == 0.0 ? 0.0 : scaleOf("orientation_scale", orientation_scale)),
      frame_in_base_(frame_in_base) {
  if (!frame_in_base.allFinite()) {
    throw std::invalid_argument("frame_in_base must be finite");
  }
}

Eigen::Isometry3d Clutch::step(const Eigen::Isometry3d& device, const Eigen::Isometry3d& tip) {
  if (!isFinite(device) || !isFinite(tip)) {
    return noPose();
  }
  if (!origins_) {
    origins_ = {device, tip};
    turned_.setZero();
  }
  Twist change = poseError(origins_->device, device);
  const Eigen::Vector3d turned = unwound(change.tail<3>(), turned_);
  change << scale_ * change.head<3>(), orientation_scale_ * turned;
  const Eigen::Isometry3d target = movedBy(origins_->tip, turnedBy(frame_in_base_, change));
  if (!isFinite(target)) {
    return noPose();
  }
  turned_ = turned;
  return target;
}

Jog::Jog(double period, const Tolerance& largest_lead)
    : period_(positive("period", period)),
      largest_lead_{positive("largest_lead, distance", largest_lead.position),
                    positive("largest_lead, angle", largest_lead.orientation)} {}

Eigen::Isometry3d Jog::step(const Twist& velocity, const Eigen::Matrix3d& frame_in_base,
                            const Eigen::Isometry3d& tip) {
  if (!velocity.allFinite() || !isFinite(tip)) {
    return noPose();
  }
  // A step of half a turn or more would be one the other way round.
  const Twist change = atMost(period_ * turnedBy(frame_in_base, velocity), largest_lead_);
  const Twist lead = atMost(poseError(tip, movedBy(target_.value_or(tip), change)), largest_lead_);
  const Eigen::Isometry3d target = movedBy(tip, lead);
  if (!isFinite(target)) {
    return noPose();
  }
  target_ = target;
  return target;
}

PoseFilter::PoseFilter(double period, double cutoff)
    : period_(positive("period", period)), rate_(kTurn * positive("cutoff", cutoff)) {
  positive("cutoff times period", rate_ * period_);
}

void PoseFilter::reset() {
  pose_.reset();
  velocity_.setZero();
}

void PoseFilter::reset(const Eigen::Isometry3d& pose) {
  pose_ = pose;
  velocity_.setZero();
}

Eigen::Isometry3d PoseFilter::step(const Eigen::Isometry3d& target) {
  if (!isFinite(target)) {
    return noPose();
  }
  if (!pose_) {
    pose_ = target;
    return target;
  }
  // The exact solution of x'' + 2 w x' + w^2 x = 0 for the gap x, after one period.
  const Twist gap = poseError(target, *pose_);
  const double decay = std::exp(-rate_ * period_);
  const Twist push = velocity_ + rate_ * gap;
  const Twist velocity = (velocity_ - rate_ * period_ * push) * decay;
  const Twist left = (gap + period_ * push) * decay;
  const Eigen::Isometry3d pose = movedBy(target, left);
  if (!isFinite(pose) || !velocity.allFinite()) {
    return noPose();
  }
  velocity_ = velocity;
  pose_ = pose;
  return pose;
}

TargetFilter::TargetFilter(double period, double cutoff) : jog_(period), share_(1.0) {
  if (notNegative("cutoff", cutoff) > 0.0) {
    poses_.emplace(period, cutoff);
    share_ = -std::expm1(-kTurn * cutoff * period);
  }
}

void TargetFilter::begin(Followed followed, const Eigen::Isometry3d& tip) {
  if (followed == followed_) {
    return;
  }
  followed_ = followed;
  jog_.reset();
  once_.setZero();
  twice_.setZero();
  if (poses_) {
    poses_->reset(tip);
  }
}

Eigen::Isometry3d TargetFilter::follow(const Eigen::Isometry3d& target,
                                       const Eigen::Isometry3d& tip) {
  if (!isFinite(target) || !isFinite(tip)) {
    return noPose();
  }
  begin(Followed::kPoses, tip);
  return poses_ ? poses_->step(target) : target;
}

Eigen::Isometry3d TargetFilter::jog(const Twist& velocity, const Eigen::Matrix3d& frame_in_base,
                                    const Eigen::Isometry3d& tip) {
  if (!velocity.allFinite() || !frame_in_base.allFinite() || !isFinite(tip)) {
    return noPose();
  }
  begin(Followed::kVelocities, tip);
  // Two filters of first order are one of second order, critically damped.
  const Twist once = once_ + share_ * (velocity - once_);
  const Twist twice = twice_ + share_ * (once - twice_);
  const Eigen::Isometry3d target = jog_.step(twice, frame_in_base, tip);
  if (isFinite(target)) {
    once_ = once;
    twice_ = twice;
  }
  return target;
}

}  // namespace generative_ik

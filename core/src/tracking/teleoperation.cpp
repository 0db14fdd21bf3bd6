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

// A part of a lead, shortened to the most that it may be.
Eigen::Vector3d atMost(const Eigen::Vector3d& lead, double most) {
  return lead * std::min(1.0, most / std::max(lead.norm(), most));
}

}  // namespace

Clutch::Clutch(double scale, double orientation_scale, const Eigen::Matrix3d& frame_in_base)
    : scale_(positive("scale", scale)),
      orientation_scale_(notNegative("orientation_scale", orientation_scale)),
      frame_in_base_(frame_in_base) {}

Eigen::Isometry3d Clutch::step(const Eigen::Isometry3d& device, const Eigen::Isometry3d& tip) {
  if (!isFinite(device) || !isFinite(tip)) {
    return noPose();
  }
  if (!origins_) {
    origins_ = {device, tip};
    turned_.setZero();
  }
  Twist change = poseError(origins_->device, device);
  turned_ = unwound(change.tail<3>(), turned_);
  change << scale_ * change.head<3>(), orientation_scale_ * turned_;
  return movedBy(origins_->tip, turnedBy(frame_in_base_, change));
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
  const Twist change = period_ * turnedBy(frame_in_base, velocity);
  Twist lead = poseError(tip, movedBy(target_.value_or(tip), change));
  lead << atMost(lead.head<3>(), largest_lead_.position),
      atMost(lead.tail<3>(), largest_lead_.orientation);
  target_ = movedBy(tip, lead);
  return *target_;
}

PoseFilter::PoseFilter(double period, double cutoff)
    : period_(positive("period", period)), rate_(kTurn * positive("cutoff", cutoff)) {}

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
  velocity_ = (velocity_ - rate_ * period_ * push) * decay;
  const Twist left = (gap + period_ * push) * decay;
  pose_ = movedBy(target, left);
  return *pose_;
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
  begin(Followed::kPoses, tip);
  return poses_ ? poses_->step(target) : target;
}

Eigen::Isometry3d TargetFilter::jog(const Twist& velocity, const Eigen::Matrix3d& frame_in_base,
                                    const Eigen::Isometry3d& tip) {
  if (!velocity.allFinite()) {
    return noPose();
  }
  begin(Followed::kVelocities, tip);
  // Two filters of first order are one of second order, critically damped.
  once_ += share_ * (velocity - once_);
  twice_ += share_ * (once_ - twice_);
  return jog_.step(twice_, frame_in_base, tip);
}

}  // namespace generative_ik

#include <algorithm>
#include <cmath>
#include <generative_ik/chain.hpp>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "../simd/constants.hpp"
#include "joint_motion.hpp"
#include "rigid.hpp"
#include "units.hpp"

namespace generative_ik {
namespace {

// Travel beyond this is room, not size of the robot: mobile bases have limits of 999999 m for
// none.
constexpr double kLongestTravel = 10.0;
// Chains of no more than this have no size.
constexpr double kNoLength = 1e-9;

void check(const Variable& variable) {
  const auto [lower, upper] = std::pair(variable.lower, variable.upper);
  if (std::isnan(lower) || std::isnan(upper)) {
    throw std::invalid_argument("variable " + variable.name + ": a limit is NaN");
  }
  if (!variable.continuous && (lower > upper || lower == kInfinity || upper == -kInfinity)) {
    std::ostringstream text;
    text << "variable " << variable.name << ": no position is within the limits, from " << lower
         << " to " << upper;
    throw std::invalid_argument(text.str());
  }
}

void check(const std::vector<Variable>& variables, const std::vector<Joint>& joints,
           const Eigen::Isometry3d& tip_in_last_joint) {
  for (const Variable& variable : variables) {
    check(variable);
  }
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const Joint& joint = joints[i];
    if (joint.variable < 0 || joint.variable >= static_cast<int>(variables.size())) {
      throw std::invalid_argument("joint " + std::to_string(i) + " refers to variable " +
                                  std::to_string(joint.variable) + ", but there are " +
                                  std::to_string(variables.size()));
    }
    if (const double length = joint.axis.stableNorm(); !(length > 0.0) || std::isinf(length)) {
      throw std::invalid_argument("the axis of joint " + std::to_string(i) +
                                  " is zero or not finite");
    }
    if (!std::isfinite(joint.multiplier) || !std::isfinite(joint.offset)) {
      throw std::invalid_argument("the multiplier or the offset of joint " + std::to_string(i) +
                                  " is not finite");
    }
    if (!isRigid(joint.joint_in_parent)) {
      throw std::invalid_argument("the frame of joint " + std::to_string(i) +
                                  " is no rigid transform");
    }
  }
  if (!isRigid(tip_in_last_joint)) {
    throw std::invalid_argument("the frame of the tip is no rigid transform");
  }
}

// Largest distance between the frames of a prismatic joint before and after it slides [m].
double largestSlide(const Variable& variable, const Joint& joint) {
  const double at_lower = std::abs(joint.multiplier * variable.lower + joint.offset);
  const double at_upper = std::abs(joint.multiplier * variable.upper + joint.offset);
  const bool limited = std::isfinite(at_lower) && std::isfinite(at_upper);
  return limited ? std::max(at_lower, at_upper) : std::numeric_limits<double>::infinity();
}

// How far the tip can be from the first joint, with so much travel of a prismatic one at most. The
// mounting, up to the first joint, does not count.
double extentOf(const std::vector<Variable>& variables, const std::vector<Joint>& joints,
                const Eigen::Isometry3d& tip_in_last_joint, double longest_travel) {
  double extent = tip_in_last_joint.translation().norm();
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const Joint& joint = joints[i];
    if (i > 0) {
      extent += joint.joint_in_parent.translation().norm();
    }
    if (joint.type == Joint::Type::kPrismatic) {
      const Variable& variable = variables[static_cast<std::size_t>(joint.variable)];
      extent += std::min(largestSlide(variable, joint), longest_travel);
    }
  }
  return extent;
}

double checkedLength(const std::vector<Variable>& variables, const std::vector<Joint>& joints,
                     const Eigen::Isometry3d& tip_in_last_joint) {
  check(variables, joints, tip_in_last_joint);
  const double size = extentOf(variables, joints, tip_in_last_joint, kLongestTravel);
  return size > kNoLength ? 0.5 * size : 1.0;
}

std::size_t checkedCount(const ChainFrame& frame, std::size_t joints, const Vector& q,
                         const std::vector<Variable>& variables) {
  if (q.size() != std::ssize(variables)) {
    throw std::invalid_argument("a configuration of " + std::to_string(q.size()) +
                                " entries for " + std::to_string(variables.size()) + " variables");
  }
  if (frame.num_joints < 0 || static_cast<std::size_t>(frame.num_joints) > joints) {
    throw std::invalid_argument("a frame that " + std::to_string(frame.num_joints) +
                                " joints move, in a chain of " + std::to_string(joints));
  }
  return static_cast<std::size_t>(frame.num_joints);
}

}  // namespace

bool mayBeRead(const Variable& variable, double position) {
  const double margin = variable.revolute ? kOvershootAngle : kOvershootLength;
  return std::isfinite(position) && (variable.continuous || (variable.lower - margin <= position &&
                                                             position <= variable.upper + margin));
}

Chain::Chain(std::vector<Variable> variables, std::vector<Joint> joints,
             Eigen::Isometry3d tip_in_last_joint)
    : variables_(std::move(variables)),
      joints_(std::move(joints)),
      tip_{static_cast<int>(joints_.size()), std::move(tip_in_last_joint)},
      characteristic_length_(checkedLength(variables_, joints_, tip_.in_last_joint)),
      reach_(extentOf(variables_, joints_, tip_.in_last_joint,
                      std::numeric_limits<double>::infinity())) {
  for (Joint& joint : joints_) {
    joint.axis.stableNormalize();
    if (joint.type == Joint::Type::kPrismatic || joint.multiplier != std::rint(joint.multiplier)) {
      variables_[static_cast<std::size_t>(joint.variable)].periodic = false;
    }
  }
}

Vector Chain::units() const {
  return unitsOf(variables_, characteristic_length_);
}

Vector Chain::stepUnits() const {
  return stepUnitsOf(variables_, characteristic_length_);
}

Eigen::Isometry3d Chain::tipInBase(const Vector& q) const {
  return frameInBase(q, tip_);
}

Eigen::Isometry3d Chain::tipInBase(const Vector& q, Jacobian& jacobian_in_base) const {
  return frameInBase(q, tip_, jacobian_in_base);
}

Eigen::Isometry3d Chain::frameInBase(const Vector& q, const ChainFrame& frame) const {
  const std::size_t moving = checkedCount(frame, joints_.size(), q, variables_);
  Eigen::Isometry3d joint_in_base = Eigen::Isometry3d::Identity();
  for (std::size_t i = 0; i < moving; ++i) {
    joint_in_base = joint_in_base * joints_[i].joint_in_parent;
    moveJoint(joints_[i], q[joints_[i].variable], joint_in_base);
  }
  return joint_in_base * frame.in_last_joint;
}

Eigen::Isometry3d Chain::frameInBase(const Vector& q, const ChainFrame& frame,
                                     Jacobian& jacobian_in_base) const {
  const std::size_t moving = checkedCount(frame, joints_.size(), q, variables_);
  jacobian_in_base.setZero(6, size());
  Eigen::Isometry3d joint_in_base = Eigen::Isometry3d::Identity();
  for (std::size_t i = 0; i < moving; ++i) {
    joint_in_base = joint_in_base * joints_[i].joint_in_parent;
    addMotion(joints_[i], joint_in_base, 1.0, jacobian_in_base);
    moveJoint(joints_[i], q[joints_[i].variable], joint_in_base);
  }
  Eigen::Isometry3d frame_in_base = joint_in_base * frame.in_last_joint;
  carryTo(frame_in_base.translation(), jacobian_in_base);
  return frame_in_base;
}

}  // namespace generative_ik

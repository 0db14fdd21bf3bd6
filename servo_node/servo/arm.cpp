#include "arm.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "text.hpp"

namespace generative_ik_servo {
namespace {

using generative_ik::Chain;
using generative_ik::Variable;
using generative_ik::Vector;

constexpr int kPoseCoordinates = 6;

std::vector<std::string> variableNames(const Chain& chain) {
  std::vector<std::string> names;
  for (const Variable& variable : chain.variables()) {
    names.push_back(variable.name);
  }
  return names;
}

Vector eachJoint(const char* name, const std::vector<double>& given, const Chain& chain) {
  const Eigen::Index size = chain.size();
  if (given.size() == 1) {
    return Vector::Constant(size, given.front());
  }
  if (given.size() != static_cast<std::size_t>(size)) {
    throw std::invalid_argument(std::string(name) + " has shape (" + std::to_string(given.size()) +
                                ",); one number for all, or one is needed for each of the " +
                                std::to_string(size) + " joints: " + listed(variableNames(chain)));
  }
  return Eigen::Map<const Vector>(given.data(), size);
}

Vector velocityLimits(const generative_ik::UrdfChain& robot, const std::vector<double>& given) {
  if (!given.empty()) {
    return eachJoint("velocity_limits", given, robot.chain);
  }
  std::vector<std::string> unknown;
  for (Eigen::Index v = 0; v < robot.velocity_limits.size(); ++v) {
    if (std::isinf(robot.velocity_limits[v])) {
      unknown.push_back(robot.chain.variables()[static_cast<std::size_t>(v)].name);
    }
  }
  if (!unknown.empty()) {
    throw std::invalid_argument("the robot description gives no velocity limit for " +
                                listed(unknown) + "; pass velocity_limits");
  }
  return robot.velocity_limits;
}

generative_ik::TrackerOptions trackerOptions(const generative_ik::UrdfChain& robot,
                                             const ArmOptions& options) {
  generative_ik::TrackerOptions tracker;
  tracker.period = 1.0 / options.rate;
  tracker.velocity_limits = velocityLimits(robot, options.velocity_limits);
  if (!options.acceleration_limits.empty()) {
    tracker.acceleration_limits =
        eachJoint("acceleration_limits", options.acceleration_limits, robot.chain);
  }
  tracker.tolerance = options.tolerance;
  // As Python's trackers: fewer joints than coordinates meet the position first.
  tracker.position_first = robot.chain.size() < kPoseCoordinates;
  return tracker;
}

// Somewhere within the limits: motions begin where the arm is.
Vector anywhere(const Chain& chain) {
  Vector q = Vector::Zero(chain.size());
  for (Eigen::Index v = 0; v < q.size(); ++v) {
    const Variable& variable = chain.variables()[static_cast<std::size_t>(v)];
    if (!variable.continuous) {
      q[v] = 0.5 * (variable.lower + variable.upper);
    }
  }
  return q;
}

Measured unknown(const Chain& chain) {
  return {Vector::Zero(chain.size()),
          Vector::Constant(chain.size(), -std::numeric_limits<double>::infinity())};
}

}  // namespace

Arm::Arm(const generative_ik::UrdfChain& robot, const ArmOptions& arm_options, int set_of_joints)
    : chain(robot.chain),
      names(variableNames(robot.chain)),
      options(arm_options),
      joint_set(set_of_joints),
      measured(unknown(robot.chain)),
      tracker(robot.chain, anywhere(robot.chain), trackerOptions(robot, arm_options)),
      filter(1.0 / arm_options.rate, arm_options.cutoff),
      start(anywhere(robot.chain)) {}

}  // namespace generative_ik_servo

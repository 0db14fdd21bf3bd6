#include <array>
#include <cmath>
#include <generative_ik/task_space_region.hpp>
#include <sstream>
#include <stdexcept>
#include <string>

#include "../simd/constants.hpp"

namespace generative_ik {
namespace {

using Bounds = TaskSpaceRegion::Bounds;

// Larger angles are hardly meant in radians.
constexpr double kMostAngle = 2.0 * kTurn;
constexpr std::array<const char*, 6> kCoordinateNames = {"x", "y", "z", "roll", "pitch", "yaw"};

void checkBounds(const Bounds& lower, const Bounds& upper) {
  if (lower.hasNaN() || upper.hasNaN()) {
    throw std::invalid_argument("region: a bound is NaN");
  }
  for (Eigen::Index k = 0; k < 6; ++k) {
    if (lower[k] > upper[k]) {
      std::ostringstream text;
      text << "region: the bounds of " << kCoordinateNames.at(static_cast<std::size_t>(k))
           << " are inverted: lower " << lower[k] << " is above upper " << upper[k];
      throw std::invalid_argument(text.str());
    }
  }
  if ((lower.array() == kInfinity).any() || (upper.array() == -kInfinity).any()) {
    throw std::invalid_argument("region: lower is inf or upper -inf: no tip can be there");
  }
  for (Eigen::Index k = 3; k < 6; ++k) {
    for (const double angle : {lower[k], upper[k]}) {
      if (std::isfinite(angle) && std::abs(angle) > kMostAngle) {
        throw std::invalid_argument(
            "region: an angle is beyond two turns; is it in degrees? Angles are in radians");
      }
    }
  }
}

// Subtracted, so that no zero is negative.
TaskSpaceRegion symmetric(const Bounds& upper) {
  return {Bounds::Zero() - upper, upper};
}

Bounds boundsOf(double position, double angle) {
  Bounds bounds;
  bounds << position, position, position, angle, angle, angle;
  return bounds;
}

}  // namespace

TaskSpaceRegion::TaskSpaceRegion(const Bounds& lower, const Bounds& upper,
                                 const std::optional<Cone>& cone)
    : lower_(lower), upper_(upper), cone_(cone) {
  checkBounds(lower, upper);
  // Negated so that NaN is refused as well.
  if (cone && !(cone->half_angle >= 0.0 && cone->half_angle <= kPi)) {
    std::ostringstream text;
    text << "region: half_angle must be between 0 and pi, not " << cone->half_angle;
    throw std::invalid_argument(text.str());
  }
}

TaskSpaceRegion TaskSpaceRegion::free() {
  return symmetric(boundsOf(kInfinity, kInfinity));
}

TaskSpaceRegion TaskSpaceRegion::freeAxis(Axis axis) {
  Bounds upper = Bounds::Zero();
  upper[3 + static_cast<Eigen::Index>(axis)] = kPi;
  return symmetric(upper);
}

TaskSpaceRegion TaskSpaceRegion::cone(Axis axis, double half_angle, const Eigen::Vector3d& lower,
                                      const Eigen::Vector3d& upper) {
  Bounds least = boundsOf(0.0, -kPi);
  Bounds most = boundsOf(0.0, kPi);
  least.head<3>() = lower;
  most.head<3>() = upper;
  return {least, most, Cone{axis, half_angle}};
}

TaskSpaceRegion TaskSpaceRegion::positionOnly() {
  return symmetric(boundsOf(0.0, kPi));
}

TaskSpaceRegion TaskSpaceRegion::orientationOnly() {
  return symmetric(boundsOf(kInfinity, 0.0));
}

TaskSpaceRegion TaskSpaceRegion::plane(Axis normal) {
  Bounds upper = boundsOf(kInfinity, 0.0);
  upper[static_cast<Eigen::Index>(normal)] = 0.0;
  return symmetric(upper);
}

TaskSpaceRegion TaskSpaceRegion::freed(bool position, bool orientation) const {
  TaskSpaceRegion region = *this;
  if (position) {
    region.lower_.head<3>().setConstant(-kInfinity);
    region.upper_.head<3>().setConstant(kInfinity);
  }
  if (orientation) {
    region.lower_.tail<3>().setConstant(-kInfinity);
    region.upper_.tail<3>().setConstant(kInfinity);
    region.cone_.reset();
  }
  return region;
}

TaskSpaceRegion::Held TaskSpaceRegion::heldCoordinates() const {
  const auto held = lower_.array() == upper_.array();
  const auto position = static_cast<int>(held.head<3>().count());
  if (cone_) {
    return {position, cone_->half_angle == 0.0 ? 2 : 0};
  }
  return {position, static_cast<int>(held.tail<3>().count())};
}

bool TaskSpaceRegion::isAround(double position, double orientation) const {
  if (cone_ && 0.0 < cone_->half_angle && cone_->half_angle < orientation) {
    return false;
  }
  const Bounds error = boundsOf(position, orientation);
  const auto there = lower_.array() <= -error.array() && upper_.array() >= error.array();
  return (there || (lower_.array() == 0.0 && upper_.array() == 0.0)).all();
}

bool operator==(const TaskSpaceRegion& one, const TaskSpaceRegion& other) {
  const auto& cone = one.cone_;
  const auto& second = other.cone_;
  const bool same_cone =
      cone.has_value() == second.has_value() &&
      (!cone || (cone->axis == second->axis && cone->half_angle == second->half_angle));
  return one.lower_ == other.lower_ && one.upper_ == other.upper_ && same_cone;
}

bool TaskSpaceRegion::isExact() const {
  return !cone_ && (lower_.array() == 0.0).all() && (upper_.array() == 0.0).all();
}

bool TaskSpaceRegion::isFree() const {
  const bool unbounded =
      (lower_.array() == -kInfinity).all() && (upper_.array() == kInfinity).all();
  return unbounded && (!cone_ || cone_->half_angle == kPi);
}

}  // namespace generative_ik

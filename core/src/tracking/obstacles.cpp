#include "obstacles.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace generative_ik::tracking {
namespace {

// Distances are looked at from this much before the clearance on [m], and that far at most.
constexpr double kAhead = 0.02;
constexpr double kFarthest = 0.5;
// What the joints together brake an approach with, as a share of their limits.
constexpr double kGentle = 0.5;
// What is nearer than the clearance is left in this time [s].
constexpr double kLeaving = 0.2;
// Configurations are checked at this share of the clearance, and as close as that allows.
constexpr double kSureShare = 0.5;
// Where there is room, they are checked at these distances, and less often [m].
constexpr std::array<double, 2> kRoomy = {0.12, 0.03};
// Braking is checked at about so many configurations at most: at a greater distance, and less
// often, where it takes a long way.
constexpr double kMostChecks = 16.0;

}  // namespace

Obstacles::Obstacles(const CollisionWorld& world, double clearance, const MotionLimits& limits)
    : world_(world),
      limits_(limits),
      clearance_(clearance),
      reaches_(limits.lower.size()),
      rooms_(kMost),
      start_(limits.lower.size()),
      motion_(limits.lower.size()),
      position_(limits.lower.size()) {
  for (std::size_t i = 0; i < position_.size(); ++i) {
    const double travel = std::max(std::abs(limits.lower[i]), std::abs(limits.upper[i]));
    position_[i] = std::isfinite(travel) ? travel : 0.0;
  }
  world_.writeReaches(position_.data(), reaches_.data());
  // Makes room in the memory.
  std::fill(position_.begin(), position_.end(), 0.0);
  world_.nearDistances(position_.data(), 0.0, kMost, near_, memory_);
}

void Obstacles::look(const double* q, const double* v) {
  double way = 0.0;
  for (std::size_t i = 0; i < reaches_.size(); ++i) {
    const double stop = 0.5 * v[i] * v[i] / limits_.acceleration[i];
    way += reaches_[i] * (std::abs(v[i]) * limits_.period + stop / kGentle);
  }
  const double within = clearance_ + std::min(kAhead + way, kFarthest);
  world_.nearDistances(q, within, kMost, near_, memory_);
  for (std::size_t k = 0; k < count(); ++k) {
    const double excess = near_.gaps[k] - clearance_;
    double brake = 1e-9;
    for (std::size_t i = 0; i < reaches_.size(); ++i) {
      brake += kGentle * std::abs(gradient(k)[i]) * limits_.acceleration[i];
    }
    rooms_[k] = limits_.period * (excess > 0.0 ? brakingVelocity(excess, brake, limits_.period)
                                               : excess / kLeaving);
  }
}

bool Obstacles::isFreeAfter(const double* q, const double* motion) {
  double rest = 1.0;
  for (std::size_t i = 0; i < reaches_.size(); ++i) {
    start_[i] = q[i];
    motion_[i] = motion[i];
    rest = std::max(rest, 2.0 + std::floor(std::abs(motion[i]) / changeOf(i)));
  }
  time_ = way_ = 0.0;
  // The longer the way, the more room it needs, and the fewer checks for its length.
  least_ = std::max(kSureShare * clearance_, wayTo(rest) / kMostChecks);
  // It begins where the last step was checked to end, at the least distance.
  level_ = kRoomy.size();
  if (!checkBefore(1.0)) {
    return false;
  }
  level_ = 0;
  return checkAt(1.0) && checkBefore(rest) && (way_ == wayTo(rest) || checkAt(rest));
}

double Obstacles::changeOf(std::size_t joint) const {
  return limits_.period * limits_.brakingChange(joint);
}

double Obstacles::travelTo(std::size_t joint, double time) const {
  const double motion = std::abs(motion_[joint]);
  const double change = changeOf(joint);
  const double braking = std::floor(std::max(time - 1.0, 0.0));
  const double moving = std::min(braking, std::floor(motion / change));
  const double part = std::max(time - 1.0, 0.0) - braking;
  return std::min(time, 1.0) * motion + moving * (motion - 0.5 * change * (moving + 1.0)) +
         part * std::max(motion - (braking + 1.0) * change, 0.0);
}

double Obstacles::wayTo(double time) const {
  double way = 0.0;
  for (std::size_t i = 0; i < reaches_.size(); ++i) {
    way += reaches_[i] * travelTo(i, time);
  }
  return way;
}

bool Obstacles::checkBefore(double end) {
  for (;;) {
    // A point on the way is as near to a check as was free there. The next one may be at less.
    const double here =
        level_ < kRoomy.size() ? std::max(kRoomy[level_], least_) : kSureShare * clearance_;
    if (wayTo(end) - way_ <= here + least_) {
      return true;
    }
    // It does not become faster.
    double speed = 0.0;
    const double braked = std::floor(time_);
    for (std::size_t i = 0; i < reaches_.size(); ++i) {
      speed += reaches_[i] * std::max(std::abs(motion_[i]) - braked * changeOf(i), 0.0);
    }
    if (!checkAt(std::min(time_ + (here + least_) / speed, end))) {
      return false;
    }
  }
}

bool Obstacles::checkAt(double time) {
  time_ = time;
  way_ = wayTo(time);
  for (std::size_t i = 0; i < reaches_.size(); ++i) {
    position_[i] = start_[i] + std::copysign(travelTo(i, time), motion_[i]);
  }
  for (; level_ < kRoomy.size(); ++level_) {
    if (kRoomy[level_] > least_ &&
        world_.check(position_.data(), kRoomy[level_], memory_) == Verdict::kFree) {
      return true;
    }
  }
  return world_.check(position_.data(), least_, memory_) == Verdict::kFree;
}

bool Obstacles::isFree(const double* q) {
  return world_.check(q, kSureShare * clearance_, memory_) == Verdict::kFree;
}

double Obstacles::clearanceAt(const double* q) {
  return world_.clearance(q, nearest_, memory_);
}

}  // namespace generative_ik::tracking

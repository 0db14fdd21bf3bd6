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
// Configurations of a braking motion that are checked at most, and its periods. Braking that would
// take more is not known to be free.
constexpr int kMostChecks = 200;
constexpr int kMostPeriods = 10000;

}  // namespace

Obstacles::Obstacles(const CollisionWorld& world, double clearance, const MotionLimits& limits)
    : world_(world),
      limits_(limits),
      clearance_(clearance),
      reaches_(limits.lower.size()),
      rooms_(kMost),
      position_(limits.lower.size()),
      motion_(limits.lower.size()) {
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
  const std::size_t n = reaches_.size();
  std::copy_n(q, n, position_.begin());
  std::copy_n(motion, n, motion_.begin());
  since_ = 0.0;
  checks_ = 0;
  // It begins where the last step was checked to end, at the least distance.
  level_ = kRoomy.size();
  if (!advance()) {
    return false;
  }
  level_ = 0;
  if (!checkHere()) {
    return false;
  }
  bool moves = true;
  for (int period = 0; moves; ++period) {
    moves = false;
    for (std::size_t i = 0; i < n; ++i) {
      const double change = limits_.period * limits_.brakingChange(i);
      motion_[i] -= std::clamp(motion_[i], -change, change);
      moves = moves || motion_[i] != 0.0;
    }
    if (period == kMostPeriods || (moves && !advance())) {
      return false;
    }
  }
  return since_ == 0.0 || checkHere();
}

bool Obstacles::advance() {
  double way = 0.0;
  for (std::size_t i = 0; i < reaches_.size(); ++i) {
    way += reaches_[i] * std::abs(motion_[i]);
  }
  // What was not checked since the last check is as near to it, or to the next one, as is sure.
  if (since_ + way > reachOfChecks() && since_ > 0.0 && !checkHere()) {
    return false;
  }
  const double parts = std::max(std::ceil(way / (2.0 * kSureShare * clearance_)), 1.0);
  if (parts > kMostChecks) {
    return false;
  }
  for (double part = 1.0; part <= parts; part += 1.0) {
    for (std::size_t i = 0; i < reaches_.size(); ++i) {
      position_[i] += motion_[i] / parts;
    }
    since_ += way / parts;
    if (part < parts && since_ + way / parts > reachOfChecks() && !checkHere()) {
      return false;
    }
  }
  return true;
}

double Obstacles::reachOfChecks() const {
  // A point on the way is as near to a check as was free there. The next one may be at less.
  const double sure = kSureShare * clearance_;
  return level_ < kRoomy.size() ? std::max(kRoomy[level_], sure) + sure : 2.0 * sure;
}

bool Obstacles::checkHere() {
  since_ = 0.0;
  for (; level_ < kRoomy.size(); ++level_) {
    if (++checks_ > kMostChecks) {
      return false;
    }
    if (world_.check(position_.data(), kRoomy[level_], memory_) == Verdict::kFree) {
      return true;
    }
  }
  return ++checks_ <= kMostChecks && isFree(position_.data());
}

bool Obstacles::isFree(const double* q) {
  return world_.check(q, kSureShare * clearance_, memory_) == Verdict::kFree;
}

double Obstacles::clearanceAt(const double* q) {
  return world_.clearance(q, nearest_, memory_);
}

}  // namespace generative_ik::tracking

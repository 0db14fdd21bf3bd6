#include "motion_limits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace generative_ik::tracking {
namespace {

// Limits are kept by this share of them, so that differences of rounded positions keep them, too.
constexpr double kShare = 1.0 - 1e-6;
// Beyond this many periods of braking nothing is near.
constexpr double kFar = 1e15;

}  // namespace

double brakingVelocity(double distance, double deceleration, double period) {
  const double unit = deceleration * period;  // what a velocity loses in a period
  const double way = distance / (unit * period);
  if (!(way < kFar)) {
    return std::numeric_limits<double>::infinity();
  }
  // From n + r times the unit, 0 <= r < 1, the way is (n + r) + (n - 1 + r) + ... + r.
  const double whole = std::floor(0.5 * (std::sqrt(1.0 + 8.0 * way) - 1.0));
  return unit * (way + 0.5 * whole * (whole + 1.0)) / (whole + 1.0);
}

double MotionLimits::brakingChange(std::size_t joint) const {
  return kShare * acceleration[joint] * period;
}

void MotionLimits::nextMotions(const double* q, const double* v, Bounds& motions) const {
  for (std::size_t i = 0; i < lower.size(); ++i) {
    const double change = brakingChange(i);
    const double most = kShare * velocity[i];
    // It can brake a little harder than it plans to, which covers rounding.
    const double planned = kShare * kShare * acceleration[i];
    const double up = brakingVelocity(std::max(upper[i] - q[i], 0.0), planned, period);
    const double down = brakingVelocity(std::max(q[i] - lower[i], 0.0), planned, period);
    const double least = v[i] - change;
    const double greatest = v[i] + change;
    const double low = std::clamp(std::max(-most, -down), least, greatest);
    const double high = std::clamp(std::min(most, up), least, greatest);
    motions.lower[i] = period * low;
    motions.upper[i] = period * std::max(low, high);
  }
}

void MotionLimits::braking(const Bounds& motions, double* motion) {
  for (std::size_t i = 0; i < motions.lower.size(); ++i) {
    motion[i] = std::clamp(0.0, motions.lower[i], motions.upper[i]);
  }
}

}  // namespace generative_ik::tracking

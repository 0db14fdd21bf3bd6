// Where a tracker moves as far as its targets leave that open.
#include <algorithm>
#include <cmath>

#include "tracker_state.hpp"

namespace generative_ik::tracking {
namespace {

// What motions of lower priority take of the velocity and the acceleration limits.
constexpr double kLower = 0.5;
// In which most of the way is made [s].
constexpr double kTime = 0.5;
// Motion of a variable, of its scale, by which slopes are measured [1 rad].
constexpr double kSlopeStep = 1e-5;
// What stands for zero among squared singular values.
constexpr double kLeastSquare = 1e-6;

}  // namespace

void TrackerState::approachObjectives() {
  const double* scale = model_.tree().scale;
  std::fill(gap_.begin(), gap_.end(), 0.0);
  if (settings_.objective == NullSpaceObjective::kLimitMargin) {
    leaveLimits();
  } else if (settings_.objective == NullSpaceObjective::kManipulability) {
    leaveSingularities();
  }
  prepareNullSpace();
  for (std::size_t i = 0; i < q_.size(); ++i) {
    solution_[i] = gap_[i] + (has_posture_ ? (settings_.posture[i] - q_[i]) / scale[i] : 0.0);
  }
  projectToNullSpace(solution_.data());
  for (std::size_t i = 0; i < q_.size(); ++i) {
    gap_[i] = scale[i] * solution_[i];
  }
  const double share = std::min(settings_.limits.period / kTime, brakingShare(kLower, kLower));
  for (double& motion : gap_) {
    motion *= share;
  }
  moveInNullSpace();
}

// Descends the norm of the distances from the middles, over the half ranges, whose high power
// stands for the greatest one.
void TrackerState::leaveLimits() {
  const MotionLimits& limits = settings_.limits;
  const double* scale = model_.tree().scale;
  double greatest = 0.0;
  double narrowest = 1e300;
  for (std::size_t i = 0; i < q_.size(); ++i) {
    const double half = 0.5 * (limits.upper[i] - limits.lower[i]);
    if (std::isfinite(half) && half > 0.0) {
      greatest = std::max(greatest, std::abs(q_[i] - limits.lower[i] - half) / half);
      narrowest = std::min(narrowest, half / scale[i]);
    }
  }
  for (std::size_t i = 0; i < q_.size() && greatest > 0.0; ++i) {
    const double half = 0.5 * (limits.upper[i] - limits.lower[i]);
    if (std::isfinite(half) && half > 0.0) {
      const double place = (q_[i] - limits.lower[i] - half) / half;
      const double share = std::pow(place / greatest, 4);
      gap_[i] = -share * place * narrowest * narrowest * scale[i] / half;
    }
  }
}

// Ascends the logarithm of the manipulability, by differences.
void TrackerState::leaveSingularities() {
  const double here = logManipulability(q_.data());
  for (std::size_t i = 0; i < q_.size(); ++i) {
    x_ = q_;
    x_[i] += kSlopeStep * model_.tree().scale[i];
    gap_[i] = std::clamp((logManipulability(x_.data()) - here) / kSlopeStep, -1.0, 1.0);
  }
  task_.measure(q_.data());
  task_.linearize();
}

double TrackerState::logManipulability(const double* q) {
  task_.measure(q);
  task_.linearize();
  task_.writeNormal(kLeastSquare, null_space_.matrix());
  return 0.5 * null_space_.logDeterminant();
}

void TrackerState::moveInNullSpace() {
  double change = 1.0;
  for (std::size_t i = 0; i < q_.size(); ++i) {
    const double wanted = std::abs(gap_[i] - null_motion_[i]);
    const double most = kLower * settings_.limits.push(i);
    if (change * wanted > most) {
      change = most / wanted;
    }
  }
  for (std::size_t i = 0; i < q_.size(); ++i) {
    null_motion_[i] += change * (gap_[i] - null_motion_[i]);
  }
}

}  // namespace generative_ik::tracking

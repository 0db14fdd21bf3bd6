// What a tracker says of its steps, which targets it follows, and which settings it takes.
#include <algorithm>
#include <cmath>

#include "../verify/pose_check.hpp"
#include "tracker_state.hpp"

namespace generative_ik::tracking {
namespace {

// The tip is held where no motion takes more than this share of the error away, by derivatives.
constexpr double kNoNearer = 1e-3;
// How far to look for smaller errors along the null space, of the variables' scale [1 rad].
constexpr double kEscape = 0.05;

bool allAbove(const std::vector<double>& numbers, double least) {
  return std::all_of(numbers.begin(), numbers.end(),
                     [least](double number) { return std::isfinite(number) && number > least; });
}

double distanceBetween(const double* a, const double* b) {
  return std::hypot(a[3] - b[3], a[7] - b[7], a[11] - b[11]);
}

// The angle of the rotation from one pose (4, 4) to another [rad].
double angleBetween(const double* a, const double* b) {
  double squares = 0.0;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      const double difference = a[4 * row + column] - b[4 * row + column];
      squares += difference * difference;
    }
  }
  // The norm of the difference is sqrt(8) times the sine of half the angle.
  return 2.0 * std::asin(std::min(std::sqrt(squares / 8.0), 1.0));
}

}  // namespace

std::string whatIsWrong(const TrackerSettings& settings, std::size_t num_variables) {
  const MotionLimits& limits = settings.limits;
  if (!(limits.period > 0.0) || !std::isfinite(limits.period)) {
    return "period must be above 0 and finite";
  }
  for (std::size_t i = 0; i < num_variables; ++i) {
    if (!(limits.lower[i] <= limits.upper[i])) {
      return "a lower joint limit is above the upper one";
    }
  }
  if (limits.velocity.size() != num_variables || !allAbove(limits.velocity, 0.0)) {
    return "velocity_limits must be above 0 and finite, one for each joint";
  }
  if (limits.acceleration.size() != num_variables || !allAbove(limits.acceleration, 0.0)) {
    return "acceleration_limits must be above 0 and finite, one for each joint";
  }
  if (settings.steps.size() != num_variables || !allAbove(settings.steps, 0.0)) {
    return "joint_weights must be above 0 and finite, one for each joint";
  }
  const bool posture = settings.posture.empty() || settings.posture.size() == num_variables;
  if (!posture || !std::all_of(settings.posture.begin(), settings.posture.end(),
                               [](double q) { return std::isfinite(q); })) {
    return "posture must be finite, one position for each joint";
  }
  if (!(settings.largest_jump.position > 0.0) || !(settings.largest_jump.orientation > 0.0)) {
    return "largest_jump must be above 0";
  }
  return {};
}

bool TrackerState::arePoses(const double* targets) const {
  constexpr double kRounded = 2e-3;
  // No position is further away [m]: squares of larger ones may be infinite.
  constexpr double kFarthestTarget = 1e9;
  for (std::size_t g = 0; g < numGoals(); ++g) {
    const double* pose = targets + 16 * g;
    const verify::PoseDefect defect = verify::poseDefect(pose);
    const double far = std::max({std::abs(pose[3]), std::abs(pose[7]), std::abs(pose[11])});
    if (!defect.finite || defect.reflected || !(defect.orthonormality <= kRounded) ||
        far > kFarthestTarget) {
      return false;
    }
  }
  return true;
}

bool TrackerState::acceptsTargets(const double* targets) {
  bool jumps = false;
  const Tolerance& most = settings_.largest_jump;
  if (has_targets_) {
    for (std::size_t g = 0; g < numGoals(); ++g) {
      const double* last = last_targets_.data() + 16 * g;
      jumps = jumps || distanceBetween(targets + 16 * g, last) > most.position ||
              angleBetween(targets + 16 * g, last) > most.orientation;
    }
  } else {
    jumps = task_.positionError() > most.position || task_.orientationError() > most.orientation;
  }
  if (jumps && !settings_.follow_jumps) {
    return false;
  }
  jumped_ = jumped_ || jumps;
  std::copy_n(targets, last_targets_.size(), last_targets_.begin());
  return true;
}

void TrackerState::judge() {
  const LaneOptions& weights = settings_.weights;
  const double chord = 2.0 * std::sin(0.5 * step_.orientation_error);
  const double orientation = settings_.position_first ? 0.0 : chord;
  step_.reason = HeldReason::kNone;
  if (isWithin(weights, step_.position_error, orientation)) {
    step_.status = TrackingStatus::kTracking;
    jumped_ = false;
  } else if (error_predicted_ > (1.0 - kNoNearer) * error_before_) {
    step_.status = TrackingStatus::kHeld;
    step_.reason = reasonOfHold();
  } else if (blocked_ && isAlmostAtRest()) {
    step_.status = TrackingStatus::kHeld;
    step_.reason = HeldReason::kCollision;
  } else if (held_back_ && isAlmostAtRest()) {
    step_.status = TrackingStatus::kHeld;
    step_.reason = HeldReason::kJointLimits;
  } else {
    step_.status = jumped_ ? TrackingStatus::kJumped : TrackingStatus::kLimited;
  }
}

bool TrackerState::isAlmostAtRest() const {
  constexpr double kRest = 0.02;  // A share of the velocity limits.
  for (std::size_t i = 0; i < q_.size(); ++i) {
    if (std::abs(v_[i]) > kRest * settings_.limits.velocity[i]) {
      return false;
    }
  }
  return true;
}

HeldReason TrackerState::reasonOfHold() {
  for (std::size_t i = 0; i < q_.size(); ++i) {
    const bool at_lower = settings_.limits.lower[i] >= q_[i] + delta_[i];
    const bool at_upper = settings_.limits.upper[i] <= q_[i] + delta_[i];
    if (approach_.boundOf(i) != 0 && (at_lower || at_upper)) {
      return HeldReason::kJointLimits;
    }
  }
  return escapesAlongNullSpace() ? HeldReason::kSingular : HeldReason::kUnreachable;
}

bool TrackerState::escapesAlongNullSpace() {
  const std::size_t n = q_.size();
  // Inverse iteration finds what moves the tips least.
  std::fill(gradient_.begin(), gradient_.end(), 1.0);
  for (int k = 0; k < 3; ++k) {
    approach_.solveFree(gradient_.data(), solution_.data());
    double largest = 1e-300;
    for (const double y : solution_) {
      largest = std::max(largest, std::abs(y));
    }
    for (std::size_t i = 0; i < n; ++i) {
      gradient_[i] = solution_[i] / largest;
    }
  }
  const double here = lengthOf(last_error_);
  double least = here;
  for (const double way : {-kEscape, kEscape}) {
    for (std::size_t i = 0; i < n; ++i) {
      x_[i] = std::clamp(q_[i] + way * model_.tree().scale[i] * gradient_[i],
                         std::min(settings_.limits.lower[i], q_[i]),
                         std::max(settings_.limits.upper[i], q_[i]));
    }
    task_.measure(x_.data());
    least = std::min(least, lengthOf(task_.error()));
  }
  return least < (1.0 - kNoNearer) * here;
}

}  // namespace generative_ik::tracking

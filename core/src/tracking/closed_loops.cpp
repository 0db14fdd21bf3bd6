#include "closed_loops.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace generative_ik::tracking {
namespace {

// Newton iterations at most; mostly two are enough.
constexpr int kClosings = 6;
// Weighted errors below which no iteration is of use, and loops count as closed: a tenth of the
// tolerance that loops have.
constexpr double kExactlyClosed = 1e-10;
constexpr double kClosed = 1e-6 * TipTask::kLoop;
// From the second on, an iteration that leaves more than this share of the error is the last one.
constexpr double kProgress = 0.9;
// Errors of loops are no further from zero than a step is long, and need no more damping.
constexpr double kClosingDamping = 1e-9;
// Periods that are looked ahead one by one; then twice as many are taken together, and so on.
constexpr int kEach = 4;
constexpr int kDoublings = 9;
// Braking that is looked at in longer periods is gentler than it will be, by this share: it is not
// quite what follows period by period.
constexpr double kGentler = 0.8;
// A joint is at rest below this share of its velocity limit.
constexpr double kAtRest = 1e-6;

}  // namespace

ClosedLoops::ClosedLoops(const TrackedModel& model, const LaneOptions& weights,
                         const MotionLimits& limits)
    : model_(model),
      limits_(limits),
      ahead_(limits),
      task_(model, weights, Counted::kLoops),
      quadratic_(model.numVariables()) {
  const std::size_t n = model.numVariables();
  for (std::vector<double>* numbers : {&bounds_.lower, &bounds_.upper, &room_.lower, &room_.upper,
                                       &there_, &gradient_, &added_, &q_, &v_, &motion_}) {
    numbers->resize(n);
  }
}

void ClosedLoops::setTargets(const double* targets) {
  task_.setTargets(targets);
  knows_targets_ = true;
}

bool ClosedLoops::close(const double* q, const Bounds& motions, double* motion) {
  const std::size_t n = there_.size();
  const double* scale = model_.tree().scale;
  quadratic_.forget();
  double before = std::numeric_limits<double>::infinity();
  for (int k = 0;; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      there_[i] = q[i] + motion[i];
    }
    task_.measure(there_.data());
    const double error = lengthOf(task_.error());
    // Where bounds keep loops open, further iterations are in vain.
    if (error < kExactlyClosed || k == kClosings || (k > 1 && error > kProgress * before)) {
      return error < kClosed;
    }
    before = error;
    task_.linearize();
    task_.writeNormal(kClosingDamping, quadratic_.matrix());
    task_.project(task_.error().data(), gradient_.data());
    for (std::size_t i = 0; i < n; ++i) {
      room_.lower[i] = std::min((motions.lower[i] - motion[i]) / scale[i], 0.0);
      room_.upper[i] = std::max((motions.upper[i] - motion[i]) / scale[i], 0.0);
      added_[i] = 0.0;
    }
    quadratic_.solve(gradient_.data(), room_.lower.data(), room_.upper.data(), added_.data());
    for (std::size_t i = 0; i < n; ++i) {
      motion[i] = std::clamp(motion[i] + scale[i] * added_[i], motions.lower[i], motions.upper[i]);
    }
  }
}

bool ClosedLoops::brakeWithin(const MotionLimits& limits, const double* q, const double* v,
                              double* motion) {
  limits.nextMotions(q, v, bounds_);
  // Joints that slow down alike stay on the way that keeps loops closed.
  double share = 1.0;
  for (std::size_t i = 0; i < there_.size(); ++i) {
    share = std::min(share, limits.brakingChange(i) / std::max(std::abs(v[i]), 1e-300));
  }
  for (std::size_t i = 0; i < there_.size(); ++i) {
    motion[i] =
        std::clamp((1.0 - share) * v[i] * limits.period, bounds_.lower[i], bounds_.upper[i]);
  }
  return close(q, bounds_, motion);
}

bool ClosedLoops::canBrakeAfter(const double* q, const double* motion) {
  const std::size_t n = there_.size();
  for (std::size_t i = 0; i < n; ++i) {
    q_[i] = q[i] + motion[i];
    v_[i] = motion[i] / limits_.period;
  }
  ahead_.period = limits_.period;
  ahead_.acceleration = limits_.acceleration;
  for (int k = 0; k < kEach * kDoublings; ++k) {
    bool rests = true;
    for (std::size_t i = 0; i < n; ++i) {
      rests = rests && std::abs(v_[i]) <= kAtRest * limits_.velocity[i];
    }
    if (rests) {
      return true;
    }
    if (k > 0 && k % kEach == 0) {
      ahead_.period *= 2.0;
    }
    for (std::size_t i = 0; k == kEach && i < n; ++i) {
      ahead_.acceleration[i] *= kGentler;
    }
    if (!brakeWithin(ahead_, q_.data(), v_.data(), motion_.data())) {
      return false;
    }
    for (std::size_t i = 0; i < n; ++i) {
      q_[i] += motion_[i];
      v_[i] = motion_[i] / ahead_.period;
    }
  }
  return false;
}

}  // namespace generative_ik::tracking

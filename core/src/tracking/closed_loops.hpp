/// Motions that keep loops closed, now and for as long as it takes to brake.
#pragma once

#include <vector>

#include "bounded_quadratic.hpp"
#include "motion_limits.hpp"
#include "tip_task.hpp"

namespace generative_ik::tracking {

/// The loops of a model.
///
/// Joints that loops hold together cannot brake each for itself: where the limits of one leave no
/// motion that goes with those of the others, a loop would open. So a motion is taken only if the
/// arm can brake after it with all loops closed. The braking is what `brake` does period by
/// period; farther ahead the periods are taken together.
class ClosedLoops {
 public:
  /// Keeps the model by reference.
  ClosedLoops(const TrackedModel& model, const LaneOptions& weights, const MotionLimits& limits);

  /// Sets the targets (goals, 4, 4), those of loops among them.
  void setTargets(const double* targets);
  /// Whether it knows where loops close.
  [[nodiscard]] bool knowsTargets() const { return knows_targets_; }

  /// Makes a motion (n) from a configuration (n) the nearest one after which all loops are closed,
  /// within bounds. Returns whether they are.
  bool close(const double* q, const Bounds& motions, double* motion);

  /// Writes the motion (n) of the next period that brakes all joints alike, with loops closed.
  /// Returns whether they are. Args: q, v: (n) configuration and velocity.
  bool brake(const double* q, const double* v, double* motion) {
    return brakeWithin(limits_, q, v, motion);
  }

  /// Whether loops stay closed while the arm brakes after a motion (n) from a configuration (n).
  bool canBrakeAfter(const double* q, const double* motion);

 private:
  bool brakeWithin(const MotionLimits& limits, const double* q, const double* v, double* motion);

  const TrackedModel& model_;
  const MotionLimits limits_;
  MotionLimits ahead_;  // the same with longer periods
  TipTask task_;
  BoundedQuadratic quadratic_;
  Bounds bounds_;  // of a motion
  Bounds room_;    // of what is added to it, in units of the variables
  std::vector<double> there_, gradient_, added_;
  std::vector<double> q_, v_, motion_;  // on the way to rest
  bool knows_targets_ = false;
};

}  // namespace generative_ik::tracking

/// A tracker of any model, one step after the other.
#pragma once

#include <generative_ik/tracker.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bounded_quadratic.hpp"
#include "closed_loops.hpp"
#include "motion_limits.hpp"
#include "obstacles.hpp"
#include "tip_task.hpp"

namespace generative_ik::tracking {

/// Rotations of the tips, where their positions come first.
struct TurnTask {
  TurnTask(const TrackedModel& model, const LaneOptions& weights);

  TipTask task;
  BoundedQuadratic quadratic;      ///< Of motions that leave the positions.
  std::vector<double> rows;        ///< (errors, n) how these turn the tips.
  std::vector<double> last_error;  ///< (errors) after the step before, from its targets.
  std::vector<double> change;      ///< (errors) since then.
  std::vector<double> reference;   ///< (n) velocity that keeps pace with the targets' rotations.
};

/// What a tracker does not change.
struct TrackerSettings {
  MotionLimits limits;
  std::vector<double> steps;    ///< (n) motions that cost the same [rad or m].
  std::vector<double> posture;  ///< (n), or none.
  NullSpaceObjective objective;
  LaneOptions weights;  ///< Of errors, and tolerances.
  bool position_first;
  Tolerance largest_jump;
  bool follow_jumps;
};

/// Checks the numbers of settings, which are of a model; says what is wrong, or nothing.
std::string whatIsWrong(const TrackerSettings& settings, std::size_t num_variables);

/// The damping of a step that errors of some length ask for.
double dampingFor(double error);

/// See `Tracker`. A step is a sequence of parts, each of which reads what those before it wrote.
class TrackerState {
 public:
  /// Args: seed: (n) checked by `takes`.
  TrackerState(TrackedModel model, TrackerSettings settings, const double* seed);
  // Its parts refer to each other.
  TrackerState(const TrackerState&) = delete;
  TrackerState& operator=(const TrackerState&) = delete;
  TrackerState(TrackerState&&) = delete;
  TrackerState& operator=(TrackerState&&) = delete;
  ~TrackerState() = default;

  [[nodiscard]] std::size_t numVariables() const { return q_.size(); }
  [[nodiscard]] std::size_t numGoals() const { return model_.numGoals(); }

  /// Args: targets: (goals, 4, 4) tip in reference [m].
  const TrackerStep& step(const double* targets);
  const TrackerStep& brake();
  void moveTo(const double* configuration);
  [[nodiscard]] bool isWithinLimits(const double* configuration) const;
  void reset(const double* seed);
  /// Sets the configuration to stay near (n); null: none.
  void setPosture(const double* posture);
  /// Keeps a distance from the things of a world, which must outlive that, from the next step on;
  /// null: from nothing. Args: clearance: above 0 [m].
  void avoid(const CollisionWorld* world, double clearance);
  [[nodiscard]] const TrackerStep& last() const { return step_; }

 private:
  // Whether all targets are poses, up to rounding to three digits.
  [[nodiscard]] bool arePoses(const double* targets) const;
  // Whether the target may be followed; notes where it is.
  bool acceptsTargets(const double* targets);
  // Writes `delta_`: the motion that by its derivatives would bring the tips to their targets, or
  // as near as they can be, within the joint limits alone.
  void approachTargets();
  // Writes `farther_delta_`: the same by further steps, where the first one leads far.
  void approachFarTargets();
  // One damped step of `x_` against an error (errors), of which a part of some length was not
  // expected; writes `rest_`: what derivatives say is left of it.
  void approachOnce(BoundedQuadratic& quadratic, const std::vector<double>& error,
                    double unexpected);
  // Where targets are near, takes most of what damping has left of errors, which are in `rest_`,
  // into a motion (n) in units of the variables, by what another minimisation left free.
  void refine(const BoundedQuadratic& quadratic, std::vector<double>& motion);
  // Writes `reference_`: the velocity of the joints that keeps pace with the targets; and
  // `left_`: what is left of the error if they do.
  void followReference();
  // Writes `pace_`: the motion that keeps pace with the targets for as long as joints can brake
  // before their limits.
  void keepPace();
  // Follows the velocity (n) of a motion (n) in a period, as fast as a joint may change its own.
  void followPace(const std::vector<double>& motion, std::vector<double>& velocity) const;
  // Writes `null_motion_`: a motion towards the posture and the objective that leaves the tips
  // where they are,
  void approachObjectives();
  // or, with the position first, one that turns the tips and leaves their positions.
  void approachRotations();
  // Writes `gap_` (n), in units of the variables: away from the joint limits,
  void leaveLimits();
  // or from where the tips cannot move some way;
  void leaveSingularities();
  // how far that is, for a configuration (n).
  [[nodiscard]] double logManipulability(const double* q);
  // Makes `null_motion_` like `gap_`, as fast as it may change.
  void moveInNullSpace();
  // Chooses the share of the gap to close now. Writes bounds of the motion, where to begin, and
  // what error is to be left.
  void regulate();
  // The greatest share of the gap with which every joint can still brake before the goal, with
  // shares of the velocity and the acceleration limits.
  [[nodiscard]] double brakingShare(double most, double gentle) const;
  // The share that is closed at the present velocity, and what full acceleration adds to it if the
  // joints keep to the straight motion; `most` at most, and where their velocities lead astray.
  [[nodiscard]] double straightShare(double most) const;
  // Draws the bounds of the motion in, to what can brake before the goal.
  void boundByGoal();
  // Moves `x_` to where the error is what is to be left, within the bounds.
  void solve();
  // One damped step of `x_` towards that.
  void iterate();
  // Damping of a step against what is left of the errors.
  [[nodiscard]] double dampingOfRest() const;
  // Prepares `projectToNullSpace`.
  void prepareNullSpace();
  // The same where there is something near.
  void iterateAmongObstacles();
  // Takes what moves the tips out of a motion (n), in units of the variables.
  void projectToNullSpace(double* motion);
  // Writes how the tips turn by motions that leave their positions.
  void linearizeTurns();
  // Writes the motion (n) that turns the tips by errors (errors), less what another motion (n)
  // turns them, and leaves their positions; within the joint limits if `bounded`.
  void turnBy(const std::vector<double>& errors, const std::vector<double>& other, bool bounded,
              std::vector<double>& motion);
  // Whether a motion (n) may be taken: the arm can brake after it without a collision, or leaves
  // one.
  bool mayMove(const std::vector<double>& motion);
  // Makes `gap_` a motion that may be taken: itself, half of it, or braking.
  void keepFree();
  // Makes `gap_` the nearest motion with which loops stay closed until the arm has braked: itself,
  // a part of it, or braking.
  void keepClosed();
  // Moves on by a motion (n).
  void commit(const double* motion);
  // Moves on by `x_`, and measures what is left.
  void finish();
  // Notes the errors that are left.
  void measureLeft();
  void judge();
  [[nodiscard]] bool isAlmostAtRest() const;
  [[nodiscard]] HeldReason reasonOfHold();
  // Whether there are smaller errors a little way along what moves the tips least.
  [[nodiscard]] bool escapesAlongNullSpace();
  // One step of `moveTo`,
  const TrackerStep& approachConfiguration();
  // and where it leads.
  void approachGoal();

  TrackedModel model_;
  TrackerSettings settings_;
  TipTask task_;  ///< What is followed: of positions alone, where these come first.
  std::optional<TurnTask> turns_;     ///< Then, the rotations.
  std::optional<ClosedLoops> loops_;  ///< If there are any.
  BoundedQuadratic approach_;         ///< At the configuration before the step.
  BoundedQuadratic pacing_;           ///< Likewise, of velocities.
  BoundedQuadratic farther_;          ///< On the way from there to the targets.
  BoundedQuadratic correction_;
  BoundedQuadratic null_space_;  ///< At the configuration before the step, almost undamped.
  std::optional<Obstacles> obstacles_;
  BoundedQuadratic among_;  ///< Motions, and how they change distances from what is near.
  Bounds among_bounds_;
  std::vector<double> among_gradient_, among_solution_;
  bool blocked_ = false;    ///< Whether something near keeps the tips from going on,
  bool held_back_ = false;  ///< or loops do that would open.
  Bounds motions_;          ///< Of the next period.
  Bounds scaled_;           ///< Of the variables of a quadratic function.
  std::vector<double> q_, v_, x_;
  std::vector<double> error_;       ///< (errors) before the step.
  std::vector<double> last_error_;  ///< (errors) after the step before, from its targets.
  std::vector<double> left_;        ///< (errors) that are to be left after the step.
  std::vector<double> rest_;        ///< (errors)
  std::vector<double> gradient_, solution_, projected_, pace_;
  std::vector<double> delta_, farther_delta_, reference_, null_motion_, with_target_, gap_;
  std::vector<double> goal_;          ///< Of `moveTo`.
  std::vector<double> last_targets_;  ///< (goals, 4, 4) followed last.
  bool has_targets_ = false;          ///< Whether these are any.
  bool has_posture_ = false;
  bool has_goal_ = false;
  bool jumped_ = false;
  bool near_ = false;             ///< Whether derivatives tell the way to the targets.
  bool stretched_ = false;        ///< Whether the arm is, towards targets out of its reach.
  double error_before_ = 0.0;     ///< Length of `error_`.
  double error_predicted_ = 0.0;  ///< What `delta_` would leave of it.
  TrackerStep step_;
};

}  // namespace generative_ik::tracking

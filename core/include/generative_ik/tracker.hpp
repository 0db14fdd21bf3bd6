/// Following a moving target: the next configuration, once a period.
///
///   generative_ik::TrackerOptions options;
///   options.period = 0.002;
///   options.velocity_limits = velocity_limits;  // of each joint
///   generative_ik::Tracker tracker(chain, where_the_arm_is, options);
///   while (running) {
///     const generative_ik::TrackerStep& step = tracker.step(target_in_base);
///     command(step.positions);
///   }
#pragma once

#include <generative_ik/chain.hpp>
#include <generative_ik/collision_world.hpp>
#include <generative_ik/pose_error.hpp>
#include <generative_ik/task_space_region.hpp>
#include <limits>
#include <memory>
#include <vector>

namespace generative_ik {

/// How a step of a tracker ended; the same as Python's TrackingStatus.
enum class TrackingStatus {
  kTracking = 1,  ///< The tip is on the target, within the tolerances.
  kLimited = 2,   ///< It is behind the target, and catching up.
  kHeld = 3,      ///< It is as near as it can be, or must not move on; the reason says why.
  kJumped = 4,    ///< It is on the way to a target that jumped, or to another branch.
};

/// Why the tip is held; the same as Python's HeldReason.
enum class HeldReason {
  kNone = 0,         ///< It is not.
  kUnreachable = 1,  ///< No configuration nearby brings the tip nearer: out of reach.
  kJointLimits = 2,  ///< Joints at their limits would have to go beyond them.
  kJump = 3,         ///< The target is no pose, or jumped further than allowed; or there is none.
  kCollision = 4,    ///< What would bring it nearer comes too close to a collision.
  kSingular = 5,     ///< The arm cannot move that way from a singularity.
};

/// What the motions that the targets leave open are for.
enum class NullSpaceObjective {
  kNone = 0,            ///< Joints move least.
  kLimitMargin = 1,     ///< The least distance of a joint from its limits, over their range.
  kManipulability = 2,  ///< The product of the Jacobian's singular values (T. Yoshikawa, 1985).
};

/// What a tracker keeps to.
struct TrackerOptions {
  double period = 0.001;   ///< Time between two steps [s].
  Vector velocity_limits;  ///< Of each joint (size), above 0 [rad/s or m/s].
  /// Of each joint (size), above 0 [rad/s^2 or m/s^2]; empty: the velocity limit in 1 s.
  Vector acceleration_limits;
  Tolerance tolerance;  ///< Within which the tip is on the target.
  /// Where each tip may be about its target, instead of at it; empty: at it. Errors are distances
  /// from there.
  std::vector<TaskSpaceRegion> regions;
  /// What a motion of each joint costs (size), above 0, by the square of its weight; empty: 1.
  Vector joint_weights;
  /// Configuration to stay near (size) where the target leaves that open [rad or m]; empty: none.
  Vector posture;
  /// What the arm goes for, besides, where the targets leave that open.
  NullSpaceObjective objective = NullSpaceObjective::kNone;
  /// Whether the position is met exactly where it can be, and the orientation as nearly as
  /// possible then. Statuses go by the position. For arms of fewer than six joints.
  bool position_first = false;
  /// A target that moves further than this from one step to the next has jumped.
  Tolerance largest_jump = {std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::infinity()};
  /// Whether targets that jump are followed; otherwise the arm stops until they come back.
  bool follow_jumps = false;
};

/// What to command next, and how it compares with the target, or the region about it.
struct TrackerStep {
  Vector positions;   ///< Inside the joint limits (size) [rad or m].
  Vector velocities;  ///< From the positions before to these, over the period (size).
  TrackingStatus status = TrackingStatus::kHeld;
  HeldReason reason = HeldReason::kJump;
  double position_error = 0.0;     ///< Distance of the tip from the target [m].
  double orientation_error = 0.0;  ///< Angle between them [rad].
};

namespace tracking {
class TrackerState;
}  // namespace tracking

/// Follows a moving target with the tip of a chain, or several with the tips of a tree.
///
/// From step to step every joint stays within its position and velocity limits, and its velocity
/// changes by no more than the acceleration limit times the period, whatever the target does:
/// velocities are those from which it can still brake before each limit. Among them, a step takes
/// what brings the tip nearest to the target, but no faster than it can brake towards it. So the
/// tip comes to rest on a target that stands, and moves with one that moves.
///
/// A step takes bounded time, allocates nothing and takes no lock; the same targets give the same
/// steps. A tracker is for one thread at a time.
class Tracker {
 public:
  /// Args: seed_state: where the arm is, at rest (size) [rad or m]. A joint may be a little beyond
  /// a limit (`mayBeRead`); it moves no further. Throws std::invalid_argument if an option or the
  /// seed state has a wrong length or a value that it cannot have.
  Tracker(const Chain& chain, const Vector& seed_state, const TrackerOptions& options);

  /// A tree: chains from one base, a tip each. Variables of the same name are the same one;
  /// configurations have them in the order of `variables`. Throws std::invalid_argument, besides,
  /// if there is no chain, or chains differ in the limits or the kind of a variable.
  Tracker(const std::vector<Chain>& chains, const Vector& seed_state,
          const TrackerOptions& options);
  ~Tracker();
  Tracker(Tracker&&) noexcept;
  Tracker& operator=(Tracker&&) noexcept;
  Tracker(const Tracker&) = delete;
  Tracker& operator=(const Tracker&) = delete;

  /// What a configuration has, in the order in which the chains first name it.
  [[nodiscard]] const std::vector<Variable>& variables() const { return variables_; }

  /// Moves one period on, towards a target. What is no pose stops the arm. Throws
  /// std::invalid_argument if there are several tips.
  const TrackerStep& step(const Eigen::Isometry3d& target_in_base);

  /// The same with a target for each tip. Throws std::invalid_argument if there are more or less.
  const TrackerStep& step(const std::vector<Eigen::Isometry3d>& targets_in_base);

  /// Moves one period on, braking to rest: for when there is no target.
  const TrackerStep& brake();

  /// Moves to a configuration (size) [rad or m] in the next steps, whatever the tip does on the
  /// way, and follows the target from there: to another branch. Throws std::invalid_argument if it
  /// is not within the limits.
  void moveTo(const Vector& configuration);

  /// Keeps a clearance [m], above 0, from the things of a world, in which the robot has the
  /// tracker's variables, from the next step on: the arm slows down before it, and slides along.
  /// The world must outlive that. It may change between any two steps; null: nothing is kept away
  /// from. Throws std::invalid_argument if the world has other variables, or for another
  /// clearance.
  ///
  /// A step is taken only if the arm can brake after it without a collision, by the spheres of the
  /// world. So it is free of collisions as long as what is there does not move.
  void avoid(const CollisionWorld* world, double clearance = 0.01);

  /// Begins anew, at rest. Throws what the constructor throws.
  void reset(const Vector& seed_state);

  /// What the last step gave.
  [[nodiscard]] const TrackerStep& last() const;

 private:
  const TrackerStep& stepTowards(const Eigen::Isometry3d* targets, std::size_t count);

  std::vector<Variable> variables_;
  std::vector<double> targets_;  ///< (tips, 4, 4) of a step.
  std::unique_ptr<tracking::TrackerState> state_;
};

}  // namespace generative_ik

/// Paths: configurations that follow poses without a jump.
///
///   generative_ik::PathRequest request;
///   request.targets_in_base = poses;
///   request.seed_state = where_the_arm_is;
///   const generative_ik::IKPath path = solver.solvePath(request);
#pragma once

#include <functional>
#include <generative_ik/collision_world.hpp>
#include <generative_ik/deadline.hpp>
#include <generative_ik/solver.hpp>
#include <optional>
#include <vector>

namespace generative_ik {

/// What makes one path better than another: a length or step that is small, or a margin of the
/// worst pose that is large.
enum class PathObjective {
  kLength,
  kLargestStep,
  kClearance,    ///< Distance from the nearest obstacle or other link, by spheres; needs a world.
  kLimitMargin,  ///< Distance from the nearest joint limit as a share of the joint's range.
};

/// What a path is to be.
struct PathRequest {
  /// Poses to follow, one after the other, so close to each other that `max_step` suffices.
  std::vector<Eigen::Isometry3d> targets_in_base;
  /// Within what bounds about its pose the tip may be: a region for all poses, or one for each;
  /// empty: on the poses.
  std::vector<TaskSpaceRegion> regions;
  /// Where the arm is (size) [rad or m], within one step of the first pose. It may be 0.05 rad or
  /// 0.005 m beyond a limit; the path then begins there and leads back inside. One further beyond
  /// counts as at the limit. None: the path begins at the solution of the first pose that serves
  /// it best.
  std::optional<Vector> seed_state;
  /// Solution of the last pose to end at (size) [rad or m].
  std::optional<Vector> end_state;
  /// Whether it ends as it begins; the last pose is the first then.
  bool closed = false;
  /// Largest change of each joint from one pose to the next (size) [rad or m]; empty: 0.2 of its
  /// unit, which is 0.2 rad.
  Vector max_step;
  /// What a joint's motion, in its unit, counts in a length (size); empty: 1.
  Vector joint_weights;
  /// None: soon after the first path is found, the best so far is returned.
  std::optional<PathObjective> objective;
  /// The robot among obstacles; it must outlive the call. Straight motions from configuration to
  /// configuration are clear of all. Null: nothing is checked.
  const CollisionWorld* world = nullptr;
  /// Whether a configuration that the world's spheres cannot tell of collides; null: it does.
  std::function<bool(const Vector&)> collides;
  /// Takes each better complete path and its objective's value; false ends the search.
  std::function<bool(const std::vector<Vector>& path, double value)> on_path;
  Deadline deadline = Deadline::never();
};

/// Why a path goes no further.
enum class PathStatus {
  kComplete,
  kUnreached,  ///< No solution of the next pose is found inside the limits.
  kTooFar,     ///< Every solution found is more than a step away.
  kColliding,  ///< Every motion there collides.
  kTimedOut,
};

/// The result of a call: the best path, or, if none is complete, the longest.
struct IKPath {
  PathStatus status;
  std::vector<Solution> solutions;  ///< One for each pose that is reached.
};

}  // namespace generative_ik

/// What a path search is given.
#pragma once

#include <functional>
#include <generative_ik/collision_world.hpp>
#include <optional>
#include <vector>

#include "../parallel/checkpoint.hpp"
#include "../search/approximate_problem.hpp"
#include "../search/goal_problem.hpp"
#include "rows.hpp"

namespace generative_ik::paths {

/// What a search asks of its caller, on the caller's thread.
struct PathCalls {
  /// Solutions of a pose that are free of collisions: its index, how many are wanted, a random
  /// seed, and whether the pose itself is meant, not the region about it.
  std::function<Rows(std::int64_t pose, std::int64_t count, std::int64_t random_seed,
                     bool exactly)>
      solutions;
  /// Whether a configuration that spheres cannot tell of collides, by the shapes themselves.
  std::function<bool(const double* q)> collides;
  /// Takes a better complete path and its objective's value; returns false to end the search.
  std::function<bool(const Rows& path, double value)> offer;
};

/// What makes one path better than another: a length or step that is small, or a margin of the
/// worst pose that is large.
enum class Objective : std::int64_t { kLength, kLargestStep, kClearance, kLimitMargin };

/// Poses to follow, and within what bounds; views of the caller's numbers.
struct PathTask {
  /// Largest motion of a joint between two collision checks, in its own unit.
  static constexpr double kResolution = 0.02;

  /// What rad (or the length that counts as much) of the error that is not preferred is left at
  /// all poses counts, as a length.
  static constexpr double kErrorCost = 100.0;

  Packed chain{};  ///< For which `ChainProblem::takes` holds; empty: the goals are a tree's.
  const search::GoalNumbers* goals =
      nullptr;                            ///< Regions about the targets; null: there are none.
  std::int64_t freedom = 0;               ///< Of a tree, how many ways its goals leave it at most.
  bool around = false;                    ///< Whether all poses are within their regions.
  const double* targets = nullptr;        ///< (B, 4, 4) tip in base [m]; of a tree (B, G, 4, 4).
  std::int64_t num_poses = 0;             ///< B
  std::int64_t size = 0;                  ///< n
  const double* lower = nullptr;          ///< (n) [rad or m]; may be infinite.
  const double* upper = nullptr;          ///< (n) likewise.
  const double* max_step = nullptr;       ///< (n) from a pose to the next [rad or m]
  const double* unit = nullptr;           ///< (n) what counts as 1 rad [rad or m]
  const double* weight = nullptr;         ///< (n) what a rad or m of each joint counts.
  const CollisionWorld* world = nullptr;  ///< Null: nothing is checked.
  const PathCalls* calls = nullptr;
  const parallel::StopWhen* stop = nullptr;
  bool narrow = false;  ///< Whether the poses themselves are tried instead of their regions.
  double resolution = kResolution;
  double closer = 4.0;  ///< How many times closer the checks of a path that is found are.

  /// The same with all checks as close as those of a path that is found.
  [[nodiscard]] PathTask closely() const {
    PathTask task = *this;
    task.resolution /= closer;
    task.closer = 1.0;
    return task;
  }
  /// The same through the poses themselves, without the regions about them.
  [[nodiscard]] PathTask exactly() const {
    PathTask task = *this;
    task.goals = isTree() ? goals : nullptr;
    task.narrow = true;
    return task;
  }

  /// Whether the joints are those of a tree, which has several tips or closed loops.
  [[nodiscard]] bool isTree() const { return chain.floats == nullptr; }
  /// Whether one error of each pose is to be 0, and the other one at a local minimum.
  [[nodiscard]] bool approximates() const {
    return !isTree() && search::ApproximateProblem::isPacked(chain);
  }
  /// What the error that is not preferred costs at a pose, beside lengths; 0 where all are exact.
  [[nodiscard]] double errorCost(const double* q, std::int64_t pose) const;
  /// The targets from a pose on.
  [[nodiscard]] const double* targetsFrom(std::int64_t pose) const {
    return targets + 16 * (isTree() ? goals->tree.num_goals : 1) * pose;
  }

  /// Whether time is up, or an interrupt has come.
  [[nodiscard]] bool isLate() const {
    return parallel::Clock::now() >= stop->deadline || interrupted();
  }
  [[nodiscard]] bool interrupted() const { return stop->interrupted && stop->interrupted(); }

  /// (n) largest motion of each joint between two collision checks [rad or m].
  [[nodiscard]] std::vector<double> resolutions() const {
    std::vector<double> all(unit, unit + size);
    for (double& one : all) {
      one *= resolution;
    }
    return all;
  }

  [[nodiscard]] Rows solutions(std::int64_t pose, std::int64_t count,
                               std::int64_t random_seed) const {
    return calls->solutions(pose, count, random_seed, narrow);
  }

  /// The weighted length of a motion.
  [[nodiscard]] double lengthOf(const double* before, const double* after) const;
  /// The largest weighted motion of a joint in a motion.
  [[nodiscard]] double largestOf(const double* before, const double* after) const;
  /// Whether no joint moves further than a step.
  [[nodiscard]] bool isStep(const double* before, const double* after) const;
  /// The lengths (L - 1) of the motions of a path.
  [[nodiscard]] std::vector<double> lengths(const Rows& path) const;
};

/// Where a path begins and ends.
struct Ends {
  std::optional<Rows>
      before;  ///< Where the arm is, within a step of the first pose; else anywhere.
  std::optional<Rows> first;  ///< Solution of the first pose to begin at; else any.
  std::optional<Rows> last;   ///< Solution of the last pose to end at; else any.
  /// Where the arm is, if an encoder reads it a little beyond a limit.
  std::optional<Rows> outside = std::nullopt;
};

/// Calls `action` with the local solver and verification of a task, for one thread.
template <class Action>
void withProblem(const PathTask& task, const Action& action) {
  if (task.goals != nullptr) {
    std::vector<LaneRow> memory(at(search::GoalProblem::countRows(*task.goals)));
    action(search::GoalProblem(*task.goals, task.targets, memory.data()));
  } else {
    const LaneChain chain = unpackChain(task.chain.floats, task.chain.ints);
    std::vector<LaneRow> memory(at(countRows(chain.num_joints, chain.num_variables)));
    if (task.approximates()) {
      action(search::ApproximateProblem(task.chain, task.targets, memory.data()));
    } else {
      action(search::ChainProblem(task.chain, task.targets, memory.data()));
    }
  }
}

/// Says which configurations are on their poses, or exactly inside the regions about them.
std::vector<char> solved(const PathTask& task, const Rows& positions,
                         const std::vector<std::int64_t>& poses);

/// Moves seeds inside the limits onto their poses. Returns which have become solutions.
std::vector<char> refine(const PathTask& task, Rows& seeds,
                         const std::vector<std::int64_t>& poses);

}  // namespace generative_ik::paths

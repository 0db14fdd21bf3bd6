/// Inverse kinematics: from poses of one or several tips to distinct, verified configurations.
///
///   const generative_ik::IKSolver solver(chain);
///   generative_ik::IKRequest request;
///   request.target_in_base = pose;
///   request.seed_state = where_the_arm_is;
///   for (const generative_ik::Solution& solution : solver.solve(request).solutions) { ... }
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <generative_ik/chain.hpp>
#include <generative_ik/collision_world.hpp>
#include <generative_ik/deadline.hpp>
#include <generative_ik/pose_error.hpp>
#include <generative_ik/search_box.hpp>
#include <generative_ik/task_space_region.hpp>
#include <memory>
#include <optional>
#include <vector>

namespace generative_ik {

/// What is met exactly of a pose that cannot be met.
enum class Preference {
  kNone,         ///< Nothing: such a pose has no solution.
  kPosition,     ///< The position, and the orientation as nearly as possible.
  kOrientation,  ///< The orientation, and the position as nearly as possible.
};

/// What a solver accepts.
struct SolverOptions {
  /// Largest accepted errors; an infinite one leaves that part of the pose free.
  Tolerance tolerance;
  /// Solutions with no joint further apart are duplicates [rad or m].
  double distinct_distance = 0.05;
  /// What is met of poses that have no solution, as those out of reach, and most of those of arms
  /// with fewer than six joints. For one tip, and finite tolerances.
  Preference prefer = Preference::kNone;
};

/// What is asked for.
struct IKRequest {
  Eigen::Isometry3d target_in_base = Eigen::Isometry3d::Identity();
  /// With several tips a target for each, in the order of the chains, instead.
  std::vector<Eigen::Isometry3d> targets_in_base;
  /// Within what bounds about its target each tip may be, in the order of the chains; empty: on
  /// it. Without a seed state solutions are spread all over them.
  std::vector<TaskSpaceRegion> regions;
  /// How many solutions are wanted. Those that are full turns away from others count where there
  /// are too few of them.
  std::size_t num_solutions = 1;
  /// Configuration to start from and to measure distances from (size) [rad or m]; it may be
  /// outside the limits.
  std::optional<Vector> seed_state;
  /// Largest distance of each joint from the seed state (size) [rad or m]; empty: any.
  ConsistencyLimits consistency_limits;
  /// Whether more restarts look for the nearest solution where none of the first ones has found
  /// one near the seed state (0.5 rad). It takes three times as long there.
  bool seek_nearest = true;
  /// The same gives the same solutions, unless time runs out.
  std::uint64_t random_seed = 0;
  /// Without one the search ends when it finds nothing new.
  Deadline deadline = Deadline::never();
  /// Which solutions count, such as those without collision; null: all. It is called on the
  /// caller's thread, for the nearest to the seed state first, until there are enough.
  std::function<bool(const Vector&)> accept;
  /// The robot among obstacles, which all solutions are clear of. The search knows of it, and goes
  /// on from what collides, where `accept` is asked about what was found. It must outlive the
  /// call, or the `Search`. Null: nothing is checked.
  const CollisionWorld* world = nullptr;
  /// Whether a configuration that the world's spheres cannot tell of collides; null: it does.
  std::function<bool(const Vector&)> collides;
};

/// A verified configuration.
struct Solution {
  Vector q;                  ///< Inside all limits (size) [rad or m].
  double position_error;     ///< Distance of the tip from the target, or the region about it, the
                             ///< largest of several [m].
  double orientation_error;  ///< Angle between them, likewise [rad].
};

/// How a search ended; as Python's SolveStatus.
enum class SolveStatus {
  kSolved,      ///< As many distinct solutions as were asked for, or all that there are.
  kPartial,     ///< At least one; there may be others, or time was up.
  kNoSolution,  ///< The pose is taken to be unreachable, or no solution was accepted.
  kTimedOut,    ///< The deadline came before any of this was known.
  /// There is none, but what meets exactly what is preferred; without a seed state the least error
  /// comes first.
  kApproximate,
};

/// The result of a call.
struct IKSolutions {
  SolveStatus status;
  /// With a seed state the nearest first, else those first that are spread most widely.
  std::vector<Solution> solutions;
};

struct PathRequest;
struct IKPath;

/// Finds configurations that put the tip of a chain on a pose, or several tips on theirs, each one
/// verified.
///
/// Arms with a closed form, and several of them that share no joint, are answered by that; within
/// regions those whose form takes microseconds. The one solution nearest to a seed state is what
/// steps from it, and from what is near it, come to. The rest is searched for: random restarts are
/// iterated by damped least squares, eight at a time; null-space steps fill the solution sets of
/// redundant chains; solutions near a seed state are refined towards it. What comes next, and when
/// the search is over, depends on what was found and never on time. A solver keeps no state
/// between calls: any number of threads may use one.
class IKSolver {
 public:
  /// Throws std::invalid_argument if a tolerance or the distance is not above 0, both tolerances
  /// are infinite, one is where something is preferred, or the chain has no variables.
  explicit IKSolver(Chain chain, const SolverOptions& options = {});

  /// Several tips: chains from one base, a tip each. Variables of the same name are the same one;
  /// configurations have them in the order of `variables`. Throws std::invalid_argument, besides,
  /// if there is no chain, chains differ in the limits or the kind of a variable, a chain has two
  /// of one name, or something is preferred.
  explicit IKSolver(std::vector<Chain> chains, const SolverOptions& options = {});
  ~IKSolver();
  IKSolver(IKSolver&&) noexcept;
  IKSolver& operator=(IKSolver&&) noexcept;
  IKSolver(const IKSolver&) = delete;
  IKSolver& operator=(const IKSolver&) = delete;

  [[nodiscard]] const Chain& chain() const;  ///< The first one.
  [[nodiscard]] const std::vector<Chain>& chains() const;
  /// What a configuration has, in the order in which the chains first name it.
  [[nodiscard]] const std::vector<Variable>& variables() const;
  /// Poses of all tips in the base frame for q (size) [rad or m]. Throws std::invalid_argument for
  /// a q of another length.
  [[nodiscard]] std::vector<Eigen::Isometry3d> tipsInBase(const Vector& q) const;
  [[nodiscard]] const SolverOptions& options() const;

  /// Throws std::invalid_argument if the seed state or the consistency limits have a wrong length,
  /// the seed state is not finite, a limit is negative or NaN, there are such limits without a
  /// seed state, a target is no pose, targets or regions are not as many as tips, all tips are
  /// free, something is preferred within regions, or the world is not one of so many variables.
  /// A rotation of a target that was rounded to three digits or more stands for the nearest one.
  [[nodiscard]] IKSolutions solve(const IKRequest& request) const;

  /// The same for many requests, by as many threads as there are cores. Deadlines are points in
  /// time, whenever it is a request's turn. What accepts solutions, or says what collides, is
  /// called from these threads.
  [[nodiscard]] std::vector<IKSolutions> solve(const std::vector<IKRequest>& requests) const;

  /// The one solution that `solve` returns for such a request without a search: the nearest to the
  /// seed state, if it keeps the consistency limits and is accepted. None if more than one is
  /// asked for, there is no seed state within the joint limits, or a search has to look for it. It
  /// takes microseconds. Throws what `solve` throws.
  [[nodiscard]] std::optional<Solution> nearest(const IKRequest& request) const;

  /// Follows poses without a jump (generative_ik/path.hpp). It is complete for arms that are not
  /// redundant, up to the resolution of the path, and spreads along the self-motions of redundant
  /// ones. What is preferred is met at every pose, and the other error is at a local minimum.
  /// Throws std::invalid_argument if there are several tips, or the request is unusable: the
  /// message says why.
  [[nodiscard]] IKPath solvePath(const PathRequest& request) const;

 private:
  friend class Search;
  class Prepared;
  [[nodiscard]] IKSolutions solveExactly(const IKRequest& request, const Deadline& deadline) const;
  [[nodiscard]] std::vector<Solution> approximations(const IKRequest& request) const;
  std::unique_ptr<const Prepared> prepared_;
};

}  // namespace generative_ik

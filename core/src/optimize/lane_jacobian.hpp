/// Jacobians of configurations in the local solver's lanes, one lane at a time.
#pragma once

#include <vector>

#include "../search/chain_problem.hpp"
#include "../search/goal_problem.hpp"

namespace generative_ik::optimize {

/// One tip: a chain's local solver, and its Jacobian.
class ChainSpace {
 public:
  using Problem = search::ChainProblem;

  /// Args: packed: of a `ChainProblem`, which must outlive this, as must the poses. ones: (n).
  /// memory: `memoryOf` numbers.
  ChainSpace(const Packed& packed, const double* poses, const double* ones, double* memory);

  static std::int64_t memoryOf(const Packed& packed);

  [[nodiscard]] std::int64_t rows() const { return 6; }
  /// What a joint's step of 1 is [rad or m].
  [[nodiscard]] double unit(std::int64_t v) const { return chain_.scale[v]; }
  [[nodiscard]] const Problem& problem() const { return problem_; }
  /// What measures configurations before `writeConstraints`.
  [[nodiscard]] const ChainSolver& held() const { return problem_; }
  /// Writes a lane's Jacobian (rows, n) of what is held, per joint unit.
  void writeConstraints(int lane, double* jacobian) const;
  /// Writes a lane's geometric Jacobian (rows, n) [m and rad].
  void writeVelocities(int lane, double* jacobian) const;

 private:
  void write(const LaneChain& chain, const LaneOptions& options, int lane, double* jacobian) const;

  LaneChain chain_;
  LaneChain in_own_units_;
  LaneRows lanes_;
  Problem problem_;
};

/// Several tips, or regions: the regions' bounds that leave room are not held.
class GoalSpace {
 public:
  using Problem = search::GoalProblem;

  /// Args: held: (R, G, 18) regions without those bounds. Others as of `ChainSpace`.
  GoalSpace(const search::GoalNumbers& numbers, const double* held, const double* poses,
            const double* ones, double* memory);

  static std::int64_t memoryOf(const search::GoalNumbers& numbers);

  [[nodiscard]] std::int64_t rows() const { return 6 * tree_.num_goals; }
  [[nodiscard]] double unit(std::int64_t v) const { return tree_.scale[v]; }
  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] const GoalSolver& held() const { return held_; }
  void writeConstraints(int lane, double* jacobian) const;
  void writeVelocities(int lane, double* jacobian) const;

 private:
  void write(const GoalTree& tree, const LaneOptions& options, int lane, double* jacobian) const;

  GoalTree tree_;
  GoalTree in_own_units_;
  std::vector<std::int64_t> exact_;  // (G) of goals without regions
  GoalRows lanes_;
  Problem problem_;
  GoalSolver held_;
};

}  // namespace generative_ik::optimize

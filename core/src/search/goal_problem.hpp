/// Several tips, or regions, as the search takes them: the local solver and the verification.
#pragma once

#include "../local_solver/goals/goal_solver.hpp"
#include "../verify/goal_verifier.hpp"
#include "local_problem.hpp"

namespace generative_ik::search {

/// A tree with its goals, its tolerances and the regions of a call: views of two arrays of
/// numbers.
struct GoalNumbers {
  LaneOptions options;
  verify::Tolerances tolerances;
  bool redundant;  ///< Whether solutions form continuous sets.
  GoalTree tree;
  const double* regions;  ///< (R, G, 18), see `RegionRow`.
  verify::RodriguesTree verifier;
  verify::Regions checks;  ///< The same regions for the verification.

  /// Reads the numbers of a problem. Returns whether they are consistent: as many as they say, and
  /// no index among them is out of range.
  bool read(const Packed& packed);

  /// Whether there is a region for each of so many targets, or one for all.
  [[nodiscard]] bool fits(std::int64_t num_targets) const {
    return checks.count == 1 || checks.count >= num_targets;
  }
};

/// A `LocalProblem` of several goals, for the targets of a call and in the lanes' memory.
class GoalProblem : public GoalSolver {
 public:
  static constexpr bool kTraces = true;
  static constexpr bool kDescends = false;

  /// Args:
  ///   numbers: what is the same for all targets.
  ///   targets: (T, G, 4, 4) tip in reference [m].
  ///   memory: `countRows` rows.
  ///   kernel: the local solver for a set of instructions.
  GoalProblem(const GoalNumbers& numbers, const double* targets, LaneRow* memory,
              const LaneKernel& kernel = laneKernel());

  /// How many rows of memory a problem needs, those of the verification included.
  static std::int64_t countRows(const GoalNumbers& numbers);

  [[nodiscard]] bool redundant() const { return numbers_.redundant; }
  [[nodiscard]] std::int64_t freedom() const {
    return numbers_.tree.num_variables - 6 * numbers_.tree.num_goals;
  }
  [[nodiscard]] static bool outOfReach(std::int64_t /*target*/) { return false; }
  [[nodiscard]] static double closeness(double /*position*/, double /*chord*/, double error) {
    return error;
  }
  [[nodiscard]] Verification verify(const double* q, std::int64_t target) const;

 private:
  const GoalNumbers& numbers_;
  const double* targets_;
  verify::Frame<double>* slots_;
};

static_assert(LocalProblem<GoalProblem>);

}  // namespace generative_ik::search

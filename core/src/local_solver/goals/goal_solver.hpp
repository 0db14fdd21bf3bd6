/// The local solver of several goals as searches take it.
#pragma once

#include "../chain_solver.hpp"
#include "../local_solver.hpp"
#include "goal_rows.hpp"

namespace generative_ik {

/// What is iterated: a tree, its parameters, and the regions about targets.
struct GoalTask {
  GoalTree tree;
  LaneOptions options;
  const double* regions;     ///< (R, G, 18), see `RegionRow`: one for all targets, or for each.
  std::int64_t num_regions;  ///< R
};

/// Damped least squares towards several goals at once; a `LocalSolver`.
class GoalSolver {
 public:
  /// Args: targets: (T, G, 4, 4) tip in reference [m]. memory: `countGoalRows` rows. kernel: the
  /// iteration for a set of instructions.
  GoalSolver(const GoalTask& task, const double* targets, LaneRow* memory,
             const LaneKernel& kernel = laneKernel())
      : kernel_(kernel), task_(task), targets_(targets), rows_(goalRowsIn(memory, task.tree)) {}

  [[nodiscard]] const LaneOptions& options() const { return task_.options; }
  [[nodiscard]] const SeedRows& rows() const { return rows_.seeds; }
  void clear() const { clearGoalLanes(rows_, task_.tree, task_.options); }
  void load(int lane, std::int64_t target) const;
  void measure() const { kernel_.measure_goals(task_.tree, task_.options, rows_); }
  void advance(const double* lower, const double* upper) const {
    kernel_.advance_goals(task_.tree, task_.options, rows_, lower, upper);
  }
  [[nodiscard]] bool converges(int lane, const double* /*lower*/, const double* /*upper*/) const {
    return isWithin(task_.options, rows_.seeds.position_error->lane[lane],
                    rows_.seeds.orientation_error->lane[lane]);
  }
  [[nodiscard]] double laneError(int lane, double /*position*/, double /*orientation*/) const {
    return rows_.error->lane[lane];
  }

 private:
  LaneKernel kernel_;
  GoalTask task_;
  const double* targets_;
  GoalRows rows_;
};

static_assert(LocalSolver<GoalSolver>);

}  // namespace generative_ik

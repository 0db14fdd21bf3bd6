#include "goal_solver.hpp"

namespace generative_ik {

void GoalSolver::load(int lane, std::int64_t target) const {
  const std::int64_t goals = task_.tree.num_goals;
  const std::int64_t region = task_.num_regions > 1 ? target : 0;
  loadGoals(targets_ + 16 * goals * target, task_.regions + region * goals * RegionRow::kSize,
            task_.tree, rows_, lane);
}

}  // namespace generative_ik

#include "refine_goals.hpp"

#include <vector>

namespace generative_ik {

void refineGoals(const GoalTask& goals, const double* targets, const Refinement& task) {
  std::vector<LaneRow> memory(static_cast<std::size_t>(countGoalRows(goals.tree)));
  const GoalSolver solver(goals, targets, memory.data());
  Refiner(solver, task).run();
}

}  // namespace generative_ik

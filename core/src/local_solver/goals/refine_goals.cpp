#include "refine_goals.hpp"

#include <vector>

#include "../../parallel/for_each.hpp"

namespace generative_ik {

void refineGoals(const GoalTask& asked, const double* targets, const Refinement& task,
                 const SeedShares& shares) {
  GoalTask goals = asked;
  goals.options = optionsFor(task, goals.options);
  const auto rows = static_cast<std::size_t>(countGoalRows(goals.tree));
  const auto refine_some = [&](std::int64_t first, std::int64_t last) {
    std::vector<LaneRow> memory(rows);
    const GoalSolver solver(goals, targets, memory.data());
    const Refinement some = task.of(first, last);
    Refiner(solver, some).run();
  };
  parallel::forRanges(task.num_seeds, shares.size, refine_some, shares.stop);
}

}  // namespace generative_ik

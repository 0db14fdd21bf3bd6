#include "goal_search.hpp"

#include "search.hpp"

namespace generative_ik::search {

std::int64_t goalSearchMemory(const GoalNumbers& numbers) {
  return (GoalProblem::countRows(numbers) + 1) * kLanes + numbers.tree.num_variables;
}

RunStatus searchGoals(const GoalNumbers& numbers, const double* targets, double* memory,
                      SearchArrays arrays, const StepLimit& limit) {
  const std::int64_t size = goalSearchMemory(numbers);
  arrays.q = memory + size - numbers.tree.num_variables;
  const GoalProblem problem(numbers, targets, alignedRows(memory, size));
  return search(problem, arrays, limit);
}

}  // namespace generative_ik::search

#include "run_search.hpp"

#include "approximate_problem.hpp"
#include "search.hpp"

namespace generative_ik::search {

std::int64_t searchMemory(std::int64_t num_joints, std::int64_t num_variables) {
  return (countRows(num_joints, num_variables) + 1) * kLanes + num_variables;
}

RunStatus searchChain(const Packed& packed, const double* poses, double* memory,
                      SearchArrays arrays, const StepLimit& limit) {
  const LaneChain chain = unpackChain(packed.floats, packed.ints);
  const std::int64_t size = searchMemory(chain.num_joints, chain.num_variables);
  arrays.q = memory + size - chain.num_variables;
  if (ApproximateProblem::isPacked(packed)) {
    const ApproximateProblem problem(packed, poses, alignedRows(memory, size));
    return search(problem, arrays, limit);
  }
  const ChainProblem problem(packed, poses, alignedRows(memory, size));
  return search(problem, arrays, limit);
}

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

#include "run_search.hpp"

#include "../local_solver/refine_seeds.hpp"
#include "approximate_problem.hpp"
#include "search.hpp"

namespace generative_ik::search {
namespace {

// The same to only check seeds: what is just exact is left to the verification.
LaneOptions withoutIterations(LaneOptions options) {
  // By this factor an error may seem to exceed its tolerance that does not when verified.
  constexpr double kJust = 1.01;
  options.position_tolerance *= kJust;
  options.orientation_tolerance *= kJust;
  options.max_iterations = 1;
  return options;
}

}  // namespace

std::int64_t TargetProblem::memory() const {
  if (goals != nullptr) {
    return (GoalProblem::countRows(*goals) + 1) * kLanes + goals->tree.num_variables;
  }
  const LaneChain chain = unpackChain(packed.floats, packed.ints);
  return (countRows(chain.num_joints, chain.num_variables) + 1) * kLanes + chain.num_variables;
}

RunStatus TargetProblem::search(double* memory, SearchArrays arrays,
                                const StepLimit& limit) const {
  const std::int64_t size = this->memory();
  arrays.q = memory + size - arrays.box.size;
  LaneRow* rows = alignedRows(memory, size);
  const auto run = [&](const auto& problem) { return search::search(problem, arrays, limit); };
  if (arrays.run->checks && goals == nullptr) {
    return run(ChainProblem(packed, targets, rows, withoutIterations(options())));
  }
  if (arrays.run->checks) {
    GoalNumbers checking = *goals;
    checking.options = withoutIterations(options());
    return run(GoalProblem(checking, targets, rows));
  }
  if (goals != nullptr) {
    return run(GoalProblem(*goals, targets, rows));
  }
  return ApproximateProblem::isPacked(packed) ? run(ApproximateProblem(packed, targets, rows))
                                              : run(ChainProblem(packed, targets, rows));
}

LaneOptions TargetProblem::options() const {
  return goals != nullptr ? goals->options : ChainProblem::optionsOf(packed);
}

void TargetProblem::refine(const LaneOptions& options, const Refinement& task,
                           const SeedShares& shares) const {
  if (goals != nullptr) {
    refineGoals({goals->tree, options, goals->regions, goals->checks.count}, targets, task,
                shares);
  } else {
    refineChain(unpackChain(packed.floats, packed.ints), options, targets, task, shares);
  }
}

Verification TargetProblem::verify(double* memory, const double* q, std::int64_t target) const {
  LaneRow* rows = alignedRows(memory, this->memory());
  return goals != nullptr ? GoalProblem(*goals, targets, rows).verify(q, target)
                          : ChainProblem(packed, targets, rows).verify(q, target);
}

}  // namespace generative_ik::search

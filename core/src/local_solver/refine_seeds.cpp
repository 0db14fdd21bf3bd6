#include "refine_seeds.hpp"

#include <vector>

#include "../parallel/for_each.hpp"
#include "chain_solver.hpp"

namespace generative_ik {
namespace {

// Args: solver_in: makes a solver in so many rows of memory.
template <class SolverIn>
void refineSeeds(std::int64_t rows, const SolverIn& solver_in, const Refinement& task,
                 const SeedShares& shares) {
  const auto refine_some = [&](std::int64_t first, std::int64_t last) {
    std::vector<LaneRow> memory(static_cast<std::size_t>(rows));
    const auto solver = solver_in(memory.data());
    const Refinement some = task.of(first, last);
    Refiner(solver, some).run();
  };
  parallel::forRanges(task.num_seeds, shares.size, refine_some, shares.stop);
}

}  // namespace

void refineChain(const LaneChain& chain, const LaneOptions& options, const double* poses,
                 const Refinement& task, const SeedShares& shares) {
  const LaneOptions own = optionsFor(task, options);
  const auto solver_in = [&](LaneRow* memory) { return ChainSolver(chain, own, poses, memory); };
  refineSeeds(countRows(chain.num_joints, chain.num_variables), solver_in, task, shares);
}

void refineGoals(const GoalTask& asked, const double* targets, const Refinement& task,
                 const SeedShares& shares) {
  GoalTask goals = asked;
  goals.options = optionsFor(task, goals.options);
  const auto solver_in = [&](LaneRow* memory) { return GoalSolver(goals, targets, memory); };
  refineSeeds(countGoalRows(goals.tree), solver_in, task, shares);
}

}  // namespace generative_ik

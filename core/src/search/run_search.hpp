/// The search for solutions of one tip, or of several goals, compiled, and what else is done for
/// its targets.
#pragma once

#include "../local_solver/refine.hpp"
#include "goal_problem.hpp"
#include "state.hpp"

namespace generative_ik::search {

/// The problem of a search and its targets: numbers that others own.
struct TargetProblem {
  Packed packed;             ///< Of a chain for which `ChainProblem::takes` holds, or of goals.
  const GoalNumbers* goals;  ///< These; null of a chain.
  /// (T, 4, 4) tip in base [m], or the alternatives of the one target; of goals (T, G, 4, 4) tip
  /// in reference.
  const double* targets;

  /// How many numbers of memory a search takes.
  [[nodiscard]] std::int64_t memory() const;

  /// Searches for solutions of some targets until all are closed, something is lacking, or the
  /// limit is reached. The next call of the same run goes on with the memory; `arrays.q` is not
  /// used.
  RunStatus search(double* memory, SearchArrays arrays, const StepLimit& limit) const;

  [[nodiscard]] LaneOptions options() const;

  /// Moves each seed towards its target, and writes where it ended.
  void refine(const LaneOptions& options, const Refinement& task, const SeedShares& shares) const;

  /// Measures a configuration, in the memory of a search.
  [[nodiscard]] Verification verify(double* memory, const double* q, std::int64_t target) const;
};

}  // namespace generative_ik::search

/// What the search asks of the problem that it solves: one tip, or several goals and regions.
#pragma once

#include <concepts>
#include <cstdint>

#include "../local_solver/local_solver.hpp"

namespace generative_ik::search {

/// A configuration as independent forward kinematics measures it.
struct Verification {
  double position;  ///< Distance from the target, or the largest of several [m].
  double angle;     ///< Likewise [rad].
  bool exact;       ///< Whether it is a solution: both within their tolerances, regions too.
};

/// A local solver and the verification of what it finds, which share nothing.
template <class Problem>
concept LocalProblem = LocalSolver<Problem> &&
    requires(const Problem& problem, const double* q, std::int64_t pose, double position,
             double chord, double error) {
  /// Whether solutions may form curves that are traced, as those of regions do. It is known
  /// when the search is compiled.
  {std::bool_constant<Problem::kTraces>{}};
  /// Whether `descend` moves a solution along its set to where it is nearest to a seed state.
  {std::bool_constant<Problem::kDescends>{}};
  /// Whether solutions form continuous sets, which null-space steps fill.
  { problem.redundant() } -> std::same_as<bool>;
  /// Dimensions of the solution set of whole poses.
  { problem.freedom() } -> std::same_as<std::int64_t>;
  /// Whether a target is surely out of reach.
  { problem.outOfReach(pose) } -> std::same_as<bool>;
  /// By what configurations that are no solutions are compared: a squared error [rad^2], of
  /// errors in a lane [m, rad] and of what `laneError` made of them.
  { problem.closeness(position, chord, error) } -> std::same_as<double>;
  /// Measures a configuration (variables) for a pose, or for the goals of a target.
  { problem.verify(q, pose) } -> std::same_as<Verification>;
};

}  // namespace generative_ik::search

/// The solution nearest to a seed state, of arms whose solutions form curves.
///
/// Steps towards the nearest solution (local_solver/nearest_step.hpp) begin at the seed state and
/// at seven configurations about it. What the seed state's come to is the nearest where it is very
/// near, and of what all come to the nearest where it is near. Else steps begin at the branches at
/// some angles of the locked joint that are nearer than their neighbours on their curves, too.
/// Angles are taken from the seed state's outwards, as long as a solution there can be nearer than
/// the nearest so far. Of a near seed state these are a few; of one that is far away two solutions
/// may be about as near, and the nearer one may be missed.
#pragma once

#include <array>
#include <vector>

#include "../parallel/for_each.hpp"
#include "../search/descents.hpp"
#include "curve_problem.hpp"
#include "targets.hpp"

namespace generative_ik::answers {

/// A configuration.
using CurveRow = std::array<double, kCurveJoints>;

/// What is asked of a chain with a locked joint.
struct NearestQuestion {
  const CurveProblem& problem;
  const double* weights;  ///< (7) what a rad or m counts in the distance from a seed state.
};

/// The branches at an angle of the locked joint.
struct AngleBranches {
  int count;                                            ///< -1 where the angle is out of bounds.
  std::array<CurveRow, closed_form::kBranches> rows;    ///< Within the bounds.
  std::array<double, closed_form::kBranches> distance;  ///< Squared, more for what was outside.
};

/// Memory that is used again, by one thread.
struct NearestMemory {
  std::vector<AngleBranches> angles;
  search::DescentMemory descents;
  int settled =
      0;  ///< The last calls, for one target each, that steps from its seed state settled.
};

/// The memory of the thread that asks.
NearestMemory& nearestMemory();

/// Answers for targets `first` to before `last` that are undone with one solution each, or leaves
/// them to the search. `seeds` (T, 7) are the seed states, of which joints without limits may be
/// anywhere, others within the bounds.
void answerNearest(const NearestQuestion& question, const Targets& targets, const double* seeds,
                   std::int64_t first, std::int64_t last, NearestMemory& memory);

/// The same for all `count` targets, by the library's own threads, until there is no more time.
void answerAllNearest(const NearestQuestion& question, const Targets& targets, const double* seeds,
                      std::int64_t count, const parallel::StopWhen& stop);

}  // namespace generative_ik::answers

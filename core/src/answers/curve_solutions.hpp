/// Distinct solutions all over the curves that a redundant arm's solutions of a pose form.
#pragma once

#include <vector>

#include "curve_samples.hpp"

namespace generative_ik::answers {

/// What mostly says already that two solutions are not the same.
struct SolutionKey {
  double angle;  ///< Of the locked joint [rad or m].
  double sum;    ///< Of the other joints, those aside that can turn around.
};

/// Memory that is used again, by one thread.
struct CurveMemory {
  SampleMemory samples;
  /// Solutions, rows of `kCurveJoints`, and memory to find others as dense as they can be.
  std::vector<double> rows;
  std::vector<double> dense_rows;
  std::vector<SolutionKey> keys;  ///< Of each solution.
  std::vector<PoseGap> gaps;      ///< Likewise, where all are made exact.
  std::vector<float> order;
  std::vector<std::int64_t> ranks;
  /// Where a region has the tip, of each solution (4, 4) [m].
  std::vector<double> targets;
  RowMemory verified;
};

/// The memory of the thread that asks.
CurveMemory& curveMemory();

/// What was found; `CurveMemory::rows` has the solutions.
struct OnCurves {
  std::int64_t count;
  std::int64_t branches;  ///< How many branches there were within the bounds.
  /// Whether that is all: it is not where the closed form is singular at most angles, where there
  /// is no more room, or where there are fewer than are wanted and a singular configuration leaves
  /// joints free.
  bool settled;
};

/// Solutions of a chain's curves that are looked for at the least, to choose the most diverse.
inline constexpr std::int64_t kChoiceOnCurves = 15;
/// Where more solutions are wanted than this, and than there are, as many are found as there are,
/// however many are wanted.
inline constexpr std::int64_t kManyOnCurves = 100;

/// Samples of a pose that are taken at the most where no more solutions than so many are wanted of
/// it; all solutions may take more.
int roomOnCurves(std::int64_t most_wanted);

/// Finds distinct solutions all over the curves of a pose, at least as many as are wanted.
OnCurves findOnCurves(const CurveProblem& problem, const double* tip_pose, std::int64_t wanted,
                      int room, CurveMemory& memory);

/// Moves what is a solution, or becomes one when it is made exact, to the front; returns how many
/// are distinct.
std::int64_t keepExactOnCurves(const CurveProblem& problem, const double* tip_pose,
                               std::int64_t count, const SolutionRows& rows, CurveMemory& memory);

/// Writes the indices of the first `count` of these solutions, the most diverse, to
/// `CurveMemory::ranks`.
void rankOnCurves(const CurveProblem& problem, std::int64_t solutions, std::int64_t count,
                  CurveMemory& memory);

}  // namespace generative_ik::answers

/// What a closed form answers at once: all solutions of a pose in order, with their full turns.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "../search/collisions.hpp"
#include "../search/descents.hpp"
#include "branch_problem.hpp"
#include "ordered_rows.hpp"
#include "targets.hpp"

namespace generative_ik::answers {

/// What a call asks.
struct Question {
  const BranchProblem& problem;
  const double* weights;  ///< (6) what a rad or m counts in the distance from the reference.
  bool nearest;         ///< Whether the nearest to the reference come first, or the most diverse.
  std::int64_t wanted;  ///< Solutions of each pose.
  CollisionCheck check{};  ///< Each answerer has its own; null: nothing is checked.
  bool turns = true;       ///< Whether full turns of solutions are listed behind them.

  /// Whether one solution is wanted, whichever.
  [[nodiscard]] bool anyOne() const { return wanted == 1 && !nearest; }
};

/// Answers for one pose at a time, in memory that is used again.
class Answerer {
 public:
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): to clear the rows takes time
  explicit Answerer(Question question) : question_(std::move(question)) {}

  /// Writes the solutions of a pose, if they are known.
  void answer(const double* tip_pose, const Answer& out);

 private:
  // Keeps the branch furthest from its limits alone, and measures it.
  void keepInmost(const double* tip_pose, int count);
  // Keeps what is free of collisions; returns whether spheres decided all.
  bool keepFree(int& count);
  void sortByDistance(int count);
  // Has the first row be the nearest solution that steps from the rows and the reference come to.
  void comeNearer(const double* tip_pose, int count);
  // Moves rows within the tolerances to the front; returns how many.
  std::int64_t keepVerified(const double* tip_pose, std::int64_t count, const SolutionRows& rows);
  // What solutions are put in order by.
  [[nodiscard]] OrderBounds orderBounds() const;
  [[nodiscard]] double squaredDistance(const double* q) const;

  Question question_;
  BranchRows rows_;  // written before it is read
  RowMemory row_memory_;
  std::vector<float> order_memory_;
  search::DescentMemory descents_;
};

}  // namespace generative_ik::answers

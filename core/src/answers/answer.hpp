/// What a closed form answers at once: all solutions of a pose in order, with their full turns.
#pragma once

#include <cstdint>
#include <vector>

#include "../search/collisions.hpp"
#include "../select/full_turns.hpp"
#include "branch_problem.hpp"

namespace generative_ik::answers {

/// States of a target.
enum class State : std::int64_t {
  kUndone,  ///< Not looked at.
  kDone,
  kLeft,  ///< Left to the search: it may have solutions that the closed form does not know of.
};

/// What is noted of a target; Python reads it as a row of whole numbers.
struct Note {
  std::int64_t count;     ///< Solutions.
  std::int64_t state;     ///< A `State`.
  std::int64_t complete;  ///< Whether these are all.
  std::int64_t branches;  ///< That the closed form had.
  std::int64_t distinct;  ///< How many of them are distinct solutions.
};

/// A collision check, and the address of what it takes.
struct CheckCall {
  search::CollisionCheck function = nullptr;  ///< Null: nothing is checked.
  std::int64_t context = 0;
};

/// What a call asks.
struct Question {
  const BranchProblem& problem;
  const double* weights;  ///< (6) what a rad or m counts in the distance from the reference.
  bool nearest;         ///< Whether the nearest to the reference come first, or the most diverse.
  std::int64_t wanted;  ///< Solutions of each pose.
  CheckCall check;

  /// Whether one solution is wanted, whichever.
  [[nodiscard]] bool anyOne() const { return wanted == 1 && !nearest; }
};

/// Rows of a call's arrays.
struct Targets {
  const double* tip_poses;  ///< (T, 4, 4) tip in base [m].
  Note* notes;              ///< (T) in and out.
  double* positions;        ///< (T, wanted, 6) out: in order, NaN where there is none [rad or m].
  PoseGap* gaps;            ///< (T, wanted) out: their errors.
};

/// Answers for one pose at a time, in memory that is used again.
class Answerer {
 public:
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): to clear the rows takes time
  explicit Answerer(const Question& question) : question_(question) {}

  /// Answers for target t if it is undone.
  void answer(const Targets& targets, std::int64_t t);

 private:
  struct Order {
    std::int64_t written;
    double total;  // how many there may be
    bool every;    // whether these are all
  };

  void solve(const double* tip_pose, Note& note, double* positions, PoseGap* gaps);
  // Keeps the branch furthest from its limits alone, and measures it.
  void keepInmost(const double* tip_pose, int count);
  // Keeps what is free of collisions; returns whether spheres decided all.
  bool keepFree(int& count);
  void sortByDistance(int count);
  Order putInOrder(const double* tip_pose, int count, double* positions, PoseGap* gaps);
  std::int64_t putNearest(const double* tip_pose, int count, const TurningRows& turning,
                          double* positions, PoseGap* gaps);
  std::int64_t putDiverse(const double* tip_pose, int count, const TurningRows& turning,
                          double total, double* positions, PoseGap* gaps);
  // Full turns of solutions, those beside a limit on it.
  std::vector<double> further(const TurningRows& turning, std::int64_t count) const;
  [[nodiscard]] double squaredDistance(const double* q) const;

  Question question_;
  BranchRows rows_;  // written before it is read
  std::vector<float> memory_;
};

/// Marks what is behind the first solutions of a target as none.
void leaveRest(std::int64_t count, std::int64_t wanted, double* positions, PoseGap* gaps);

}  // namespace generative_ik::answers

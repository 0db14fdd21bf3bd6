/// Null-space optimization: configurations move along their self-motions to where a score is best.
///
/// A trial is a step in the null space of the Jacobian, from which the local solver returns to the
/// pose; eight trials share the lanes. `PatternSearch` says where it lies. A trial counts that is
/// within the limits, verified, and not known to collide.
#pragma once

#include <cstdint>
#include <generative_ik/collision_world.hpp>
#include <limits>
#include <vector>

#include "../parallel/checkpoint.hpp"
#include "../search/goal_problem.hpp"
#include "../search/problem.hpp"
#include "pattern_search.hpp"
#include "score.hpp"

namespace generative_ik::optimize {

/// What is the same for all configurations: views of the caller's numbers.
struct Setting {
  Packed packed;                ///< Of a `ChainProblem` where there are no goals.
  bool goals;                   ///< Whether there are several tips, or regions.
  search::GoalNumbers numbers;  ///< Of these.
  const double* poses;          ///< (T, 4, 4) targets, tip in base [m]; (T, G, 4, 4) of goals.
  const double* held;           ///< (R, G, 18) of goals: regions without bounds that leave room.
  std::int64_t dimension;       ///< Of the null space.
  search::Box box;
  const double* lower;    ///< (n) joint limits [rad or m].
  const double* upper;    ///< (n) likewise.
  const double* weights;  ///< (n) what a rad or m of the distance from the seed state counts.
  Score score;
  const CollisionWorld* world;   ///< Null: nothing collides.
  const ShapeDistances* shapes;  ///< Null: clearances are those between spheres.
};

/// A configuration that is optimized.
struct Optimized {
  std::int64_t target = 0;  ///< Its pose, of a goal set too.
  PatternSearch search;     ///< Its score, and its next trial.
  Verdict verdict{};        ///< Of spheres on where it is.
  double free_value = 0.0;  ///< Score of the best place it came through that is known to be free.
  // Of its last trial.
  bool reached = false;  ///< It came back to its pose, and is a solution.
  double trial_value = 0.0;
  Nearest nearest = {};  ///< To it.
};

/// Optimizes configurations of any number of targets. It is for one thread at a time, and uses the
/// library's own; what it finds does not depend on how many these are.
class NullSpaceOptimizer {
 public:
  /// Keeps a setting's views.
  explicit NullSpaceOptimizer(const Setting& setting);

  /// Scores of configurations (count, n), however they are reached; 0 for `kGiven`.
  void score(const double* positions, std::int64_t count, double* scores) const;

  /// Adds a configuration. Args: value: its score. free: whether it is known to be free of
  /// collisions. radius: of its first step.
  void add(const double* q, std::int64_t target, double value, bool free, double radius);

  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(rows_.size()); }
  [[nodiscard]] const Optimized& row(std::int64_t s) const {
    return rows_[static_cast<std::size_t>(s)];
  }
  /// Where it is (n) [rad or m].
  [[nodiscard]] const double* position(std::int64_t s) const { return numbers(positions_, s); }
  /// The best place it came through that is known to be free of collisions.
  [[nodiscard]] const double* freePosition(std::int64_t s) const { return numbers(free_, s); }

  /// Moves no more.
  void end(std::int64_t s) { of(s).search.end(); }
  /// Begins anew where it is, with another score.
  void restart(std::int64_t s, double value, double radius) {
    of(s).search = PatternSearch(value, radius);
  }
  /// The score of where it was free, when scores are another measure from now on.
  void setFreeValue(std::int64_t s, double value) { of(s).free_value = value; }
  /// From now on clearances are those between shapes.
  void measureShapes(const ShapeDistances& shapes);

  /// Optimizes until all steps are shorter than `least`.
  void optimize(double least, const parallel::StopWhen& stop);

  /// For a score that the caller computes: makes one trial of each configuration whose steps are
  /// not shorter than `least`. Returns whether there are any.
  bool propose(double least);
  /// Those whose trials are to be scored.
  [[nodiscard]] std::vector<std::int64_t> toScore() const;
  [[nodiscard]] const double* trial(std::int64_t s) const { return numbers(trials_, s); }
  /// Takes the scores of all that were to be scored.
  void judge(const double* values);

 private:
  template <class Space>
  friend class TrialLanes;

  Optimized& of(std::int64_t s) { return rows_[static_cast<std::size_t>(s)]; }
  [[nodiscard]] const double* numbers(const std::vector<double>& all, std::int64_t s) const {
    return all.data() + s * setting_.box.size;
  }
  [[nodiscard]] double* numbers(std::vector<double>& all, std::int64_t s) const {
    return all.data() + s * setting_.box.size;
  }
  // Calls a function with the lanes of some of this optimizer's configurations.
  template <class Function>
  void withLanes(const Function& function) const;
  // Whether it makes further trials.
  [[nodiscard]] bool goesOn(std::int64_t s, double least) const {
    return !row(s).search.isOver() && row(s).search.radius() >= least;
  }
  // Takes a trial's score, or -infinity.
  void judgeTrial(std::int64_t s, double value, CollisionMemory& memory);
  [[nodiscard]] double scoreOf(const double* q, Nearest& nearest, CollisionMemory& memory) const;

  Setting setting_;
  std::vector<double> ones_;
  std::vector<Optimized> rows_;
  std::vector<double> positions_;  // (S, n)
  std::vector<double> free_;       // (S, n)
  std::vector<double> trials_;     // (S, n)
  std::vector<double> headings_;   // (S, n) directions of the last steps, in joint units
  std::vector<std::int64_t> proposed_;
};

}  // namespace generative_ik::optimize

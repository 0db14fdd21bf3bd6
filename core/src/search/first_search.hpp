/// The search for one solution of one target, wherever it is: what callers in a loop ask for, and
/// where all that surrounds the search takes longer than it does.
#pragma once

#include <span>
#include <vector>

#include "goal_problem.hpp"
#include "state.hpp"
#include "work.hpp"

namespace generative_ik::search {

/// What a solver's searches of this kind have in common.
struct FirstSearchNumbers {
  std::vector<double> floats;  ///< The problem: a chain, or goals, see `Packed`.
  std::vector<std::int64_t> ints;
  bool goals;                           ///< Whether it is several goals, or regions.
  std::vector<double> box;              ///< (7, n) see `Box`.
  std::vector<double> grid_floats;      ///< See `Grid::of`.
  std::vector<std::int64_t> grid_ints;  ///< Likewise.
  std::int64_t first_batch;             ///< Restarts before null-space steps are considered.
  double step;                          ///< Of `Run`.
  double persistence;                   ///< Of `StoppingCriteria`.
  std::int64_t most_restarts;           ///< Likewise.
  /// Weighted squared error below which the closest configuration may be near a solution.
  double near;
};

/// What such a search has come to.
struct FirstFound {
  enum class State : std::int64_t {
    kSolved,  ///< A solution that is free of collisions.
    kNone,    ///< There seems to be none; the configuration is the closest.
    kLeft,    ///< It is not over, or only with solutions that may collide.
  };
  State state;
  std::vector<double> q;  ///< (n) [rad or m]
  SolutionNotes notes;    ///< Of a solution.
  Work work;
  std::int64_t distinct;  ///< Solutions that were found.
};

/// Does what `searchChain` and `searchGoals` do, in memory of its own: any number of threads may
/// search at a time.
class FirstSearch {
 public:
  /// Throws std::invalid_argument if the numbers are not consistent.
  explicit FirstSearch(FirstSearchNumbers numbers);
  // Views point into its own numbers.
  FirstSearch(const FirstSearch&) = delete;
  FirstSearch& operator=(const FirstSearch&) = delete;
  FirstSearch(FirstSearch&&) = delete;
  FirstSearch& operator=(FirstSearch&&) = delete;
  ~FirstSearch() = default;

  [[nodiscard]] std::int64_t numVariables() const { return size_; }
  /// Poses of a target; 0 for the pose of a chain's tip.
  [[nodiscard]] std::int64_t numGoals() const {
    return numbers_.goals ? goals_.tree.num_goals : 0;
  }

  /// Args:
  ///   target: (4, 4) pose of the tip in the base, or (G, 4, 4) of several [m].
  ///   points: (2, n) shift and ratios of the recurrence that seeds come from.
  ///   max_steps: of all lanes, after which the search is left.
  ///   check: null: nothing is checked.
  ///   push: null: solutions that collide are left as they are.
  ///   seeds: (K, n) after which the search is left [rad or m]; none: it makes its own.
  FirstFound find(const double* target, const double* points, std::int64_t max_steps,
                  const CollisionCheck* check, const PushOut* push,
                  std::span<const double> seeds = {}) const;

 private:
  FirstSearchNumbers numbers_;
  Packed packed_{};
  GoalNumbers goals_{};
  std::int64_t size_ = 0;    // n
  std::int64_t memory_ = 0;  // numbers that a search takes
};

}  // namespace generative_ik::search

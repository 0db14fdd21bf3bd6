/// The search for solutions of one target, wherever they are, or nearest to a seed state: what
/// callers ask for most, and where all that surrounds the search takes longer than it does.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "../parallel/checkpoint.hpp"
#include "budget.hpp"
#include "decisions.hpp"
#include "run_search.hpp"
#include "search_memory.hpp"

namespace generative_ik::search {

/// What a solver's searches of this kind have in common.
struct SingleSearchNumbers {
  std::vector<double> floats;  ///< The problem: a chain, or goals, see `Packed`.
  std::vector<std::int64_t> ints;
  bool goals;                           ///< Whether it is several goals, or regions.
  std::vector<double> box;              ///< (7, n) see `Box`.
  std::vector<double> grid_floats;      ///< See `Grid::of`.
  std::vector<std::int64_t> grid_ints;  ///< Likewise.
  Budget budget;
  /// Weighted squared error below which the closest configuration may be near a solution.
  double near;
  bool endless;  ///< See `Seeds`.
  // What their distances are measured by, (n) each, see `DiverseRows`.
  std::vector<double> lower;
  std::vector<double> upper;
  std::vector<char> turning;
  std::vector<double> unit;
};

/// Gives a search K seeds (K, n) that follow those that it had before [rad or m]; it is left where
/// there are none. They are read before it is called again.
using SeedSource = std::function<std::span<const double>(std::int64_t before, std::int64_t count)>;

/// What is asked of such a search.
struct SingleTask {
  const double* target;  ///< (4, 4) pose of the tip in the base, or (G, 4, 4) of several [m].
  const double* points;  ///< (2, n) shift and ratios of the recurrence that seeds come from.
  StepLimit limit;       ///< After so many steps of all lanes with some seeds it is left.
  const CollisionCheck* check = nullptr;  ///< Null: nothing is checked.
  const PushOut* push = nullptr;          ///< Null: solutions that collide are left as they are.
  SeedSource seeds = {};                  ///< None: it makes its own.
  /// (n) inside the limits, if the nearest to it are wanted [rad or m].
  const double* seed_state = nullptr;
  const double* weights = nullptr;  ///< (n) what a rad or m counts in distances from it.
  const double* first = nullptr;    ///< (n) the first seed about it; null: that state itself.
  Collides collides = {};           ///< None: what spheres cannot tell of is left.
};

/// What such a search has come to.
struct SingleFound {
  enum class State : std::int64_t {
    kSolved,  ///< Solutions that are free of collisions; all that are wanted, or that there are.
    kNone,    ///< There seems to be none.
    kLeft,    ///< It is not over, or only with solutions that may collide.
  };
  State state;
  /// (N, n) the most diverse, or the nearest, in order, N at the most; or the closest
  /// configuration [rad or m].
  std::vector<double> rows;
  std::vector<SolutionNotes> notes;  ///< Of solutions.
  Work work;
};

/// The one solution of one of several targets.
struct OneFound {
  SingleFound::State state;
  double distance;     ///< Its error [m], NaN if there is none.
  double angle;        ///< And [rad].
  std::int64_t seeds;  ///< That were tried.
};

/// Targets, of one solution each, that a thread searches for together.
inline constexpr std::int64_t kSideBySide = 64;

/// Where a search for one solution of each of T targets writes them.
struct EachFound {
  double* rows;    ///< (T, n) solutions, or the closest configurations [rad or m].
  OneFound* ones;  ///< (T)
};

/// Searches in memory of its own: any number of threads may do so at a time.
class SingleSearch {
 public:
  /// Throws std::invalid_argument if the numbers are not consistent.
  explicit SingleSearch(SingleSearchNumbers numbers);
  // Views point into its own numbers.
  SingleSearch(const SingleSearch&) = delete;
  SingleSearch& operator=(const SingleSearch&) = delete;
  SingleSearch(SingleSearch&&) = delete;
  SingleSearch& operator=(SingleSearch&&) = delete;
  ~SingleSearch() = default;

  [[nodiscard]] std::int64_t numVariables() const { return size_; }
  [[nodiscard]] std::int64_t wanted() const { return numbers_.budget.wanted; }
  /// Poses of a target; 0 for the pose of a chain's tip.
  [[nodiscard]] std::int64_t numGoals() const {
    return numbers_.goals ? goals_.tree.num_goals : 0;
  }

  /// Throws std::invalid_argument if there is no seed state where the nearest to one are wanted.
  [[nodiscard]] SingleFound find(const SingleTask& task) const;

  /// One solution of each of `count` targets, which threads search for side by side, some at a
  /// time, as in a batch of them; the limit of the task is that of each of these. Throws
  /// std::invalid_argument if the search is for more, or about a seed state.
  Work findEach(const SingleTask& task, std::int64_t count, const EachFound& found,
                const parallel::StopWhen& stop) const;

 private:
  struct Memory;
  /// Some targets, from `first` to before `last`.
  struct Piece {
    parallel::Checkpoint* checkpoint;
    std::int64_t first;
    std::int64_t last;
  };

  Work findSideBySide(const SingleTask& task, const Piece& piece, const EachFound& found) const;
  [[nodiscard]] Memory memoryFor(const Box& box, std::int64_t spare,
                                 std::int64_t num_targets = 1) const;
  [[nodiscard]] SearchArrays arraysOf(Memory& memory, const Box& box,
                                      const SingleTask& task) const;
  [[nodiscard]] Grid grid() const {
    return Grid::of(numbers_.grid_floats.data(), numbers_.grid_ints.data());
  }
  RunStatus searchWith(std::span<const double> seeds, Memory& memory, SearchArrays& arrays,
                       const SingleTask& task) const;
  // Searches until it is over, and what it has found is decided on, as far as it can be.
  void searchOn(Memory& memory, SearchArrays& arrays, const SingleTask& task) const;
  // The state of a search that is over, its solutions, or its closest configuration.
  [[nodiscard]] SingleFound::State writeTo(SingleFound& found, const Memory& memory,
                                           const SingleTask& task) const;
  // The state of a target without a free solution.
  [[nodiscard]] SingleFound::State stateOf(const Memory& memory, std::int64_t t) const;
  void writeMostDiverse(const Memory& memory, SingleFound& found) const;
  void writeNearest(const Memory& memory, const Reference& seed_state, SingleFound& found) const;
  void write(const Memory& memory, std::span<const std::int64_t> order, SingleFound& found) const;
  // The rows of a box about a seed state.
  [[nodiscard]] std::vector<double> boxAbout(const SingleTask& task) const;
  [[nodiscard]] TargetProblem problemOf(const double* target) const {
    return {packed_, numbers_.goals ? &goals_ : nullptr, target};
  }

  SingleSearchNumbers numbers_;
  Packed packed_{};
  GoalNumbers goals_{};
  std::unique_ptr<bool[]> turning_;  // NOLINT(*-avoid-c-arrays)
  std::int64_t size_ = 0;            // n
  std::int64_t memory_ = 0;          // numbers that a search takes
};

}  // namespace generative_ik::search

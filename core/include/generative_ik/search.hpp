/// A search for solutions of one pose that can go on where it stopped.
#pragma once

#include <generative_ik/solver.hpp>
#include <memory>
#include <optional>
#include <vector>

namespace generative_ik {

/// How `IKSolver::solve` searches for a request, part by part, for those who try solutions in
/// between and may need more of them. One object serves one query; objects share nothing.
class Search {
 public:
  enum class Ending {
    kEnough,       ///< As many solutions as wanted.
    kExhausted,    ///< Some, and hardly another one is left to find.
    kUnreachable,  ///< There is no solution, by a bound of the reach or after many restarts.
    kTimedOut,
  };

  /// Keeps the solver by reference. Args: request: `num_solutions` are those that the first part
  /// looks for, by which it is decided how many seeds around the seed state are tried; `accept` is
  /// not called, solutions are clear of the world. Throws what `IKSolver::solve` throws.
  Search(const IKSolver& solver, const IKRequest& request);
  ~Search();
  Search(Search&&) noexcept;
  Search& operator=(Search&&) noexcept;
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  /// Searches on until there are `wanted` solutions in all.
  Ending run(std::size_t wanted, const Deadline& deadline);

  /// Lets an exhausted search go on with solutions a quarter as far apart. Returns whether that is
  /// of use: on chains that are not redundant it is not.
  bool distinguishMore();

  /// The solutions that have been found, or have come nearer to the seed state, since the last
  /// call, in the order in which they were found.
  std::vector<Solution> takeNew();

  /// The solution that the local solver reaches from the seed state itself, if no joint has to
  /// move further than `distance` [rad or m]. It takes microseconds. Throws std::invalid_argument
  /// if the distance is negative or NaN.
  [[nodiscard]] std::optional<Solution> besideSeedState(double distance) const;

  /// The configuration inside the limits that is closest to the target among local minima of the
  /// error, of which some are looked at even after the deadline; empty if the limits exclude every
  /// configuration. Where the solver prefers something, this is met exactly if it can be, and the
  /// other error is the least of all such minima. It may collide, also with a world.
  [[nodiscard]] Vector closest(const Deadline& deadline);

  /// What is searched: joint limits and consistency limits.
  [[nodiscard]] const SearchBox& limits() const;

 private:
  friend class IKSolver;
  class State;

  std::unique_ptr<State> state_;
};

}  // namespace generative_ik

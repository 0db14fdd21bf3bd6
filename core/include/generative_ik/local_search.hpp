// The plugin's own search: many distinct solutions, with the methods of the Python package.
#pragma once

#include <cstddef>
#include <cstdint>
#include <generative_ik/candidates.hpp>
#include <generative_ik/deadline.hpp>
#include <memory>
#include <vector>

namespace generative_ik {

struct LocalSearchSettings {
  std::uint64_t random_seed = 0;
  // A solution that the descent from the seed state finds within this distance [rad or m, of each
  // joint] ends a search for one solution at once; negative: never.
  double near = -1.0;
  // Solutions with no joint further apart are the same [rad or m].
  double distinct_distance = 0.05;
};

// Seeds around the seed state, then anywhere in the box; null-space steps along the solution sets
// of redundant chains; the nearest solution is refined towards the seed state. Eight seeds are
// iterated at a time. Which seed comes next depends on what was found, never on time. One object
// serves one query; objects share nothing, so any number of threads may search.
class LocalSearch {
 public:
  enum class Ending {
    kEnough,       // as many solutions as asked for, or the seed state leads to a near one
    kExhausted,    // hardly any solution is left to find
    kUnreachable,  // there is no solution, by a bound of the reach or after 2048 restarts
    kTimedOut,
  };

  // Keeps the query by reference. Args: wanted: solutions that the first part will look for, which
  // determines how many seeds around the seed state it tries.
  LocalSearch(const Query& query, std::size_t wanted, const LocalSearchSettings& settings = {});
  ~LocalSearch();
  LocalSearch(const LocalSearch&) = delete;
  LocalSearch& operator=(const LocalSearch&) = delete;
  LocalSearch(LocalSearch&&) = delete;
  LocalSearch& operator=(LocalSearch&&) = delete;

  // Searches on until there are `wanted` solutions in all.
  Ending run(std::size_t wanted, const Deadline& deadline);

  // Lets an exhausted search go on with solutions a quarter as far apart. Returns whether that is
  // of use: on chains that are not redundant it is not.
  bool distinguishMore();

  // All solutions, verified, in the order in which they were found.
  [[nodiscard]] const std::vector<Vector>& solutions() const;

  // The configuration inside the limits that is closest to the target among some local minima of
  // the error; empty if the limits exclude every configuration.
  [[nodiscard]] Vector closest(const Deadline& deadline) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Returns up to `count` distinct solutions, nearest to the seed first.
std::vector<Vector> solveLocally(const Query& query, std::size_t count, const Deadline& deadline,
                                 const LocalSearchSettings& settings = {});

}  // namespace generative_ik

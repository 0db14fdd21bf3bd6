/// Solutions that a closed form has found, as the first ones of a search for poses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "chain_problem.hpp"
#include "keeping.hpp"

namespace generative_ik::search {

/// Puts them into the pool as the search does with its own.
class FirstSolutions {
 public:
  /// Args: packed: a chain for which `ChainProblem::takes` holds. poses: (T, 4, 4) targets [m].
  /// arrays: box, pool, targets and run of the search.
  FirstSolutions(const Packed& packed, const double* poses, const SearchArrays& arrays)
      : rows_(static_cast<std::size_t>(countRows(packed.ints[0], arrays.box.size))),
        q_(static_cast<std::size_t>(arrays.box.size)),
        problem_(packed, poses, rows_.data()),
        state_(problem_, arrays) {
    state_.q = q_.data();
  }
  // It points to its own memory.
  FirstSolutions(const FirstSolutions&) = delete;
  FirstSolutions& operator=(const FirstSolutions&) = delete;
  FirstSolutions(FirstSolutions&&) = delete;
  FirstSolutions& operator=(FirstSolutions&&) = delete;
  ~FirstSolutions() = default;

  /// What is known of target t.
  [[nodiscard]] Target& target(std::int64_t t) const { return state_.targets[t]; }

  /// Keeps a configuration (n) if it is a solution of target t.
  void keep(std::int64_t t, const double* q) {
    std::copy_n(q, q_.size(), q_.begin());
    keepSolution(state_, t, t);
  }

 private:
  std::vector<LaneRow> rows_;
  std::vector<double> q_;
  ChainProblem problem_;
  SearchState<ChainProblem> state_;
};

}  // namespace generative_ik::search

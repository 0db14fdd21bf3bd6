/// Seeds of random restarts.
#pragma once

#include "state.hpp"

namespace generative_ik::search {

/// Whether restarts have come to nothing so often that a target counts as hard.
bool isHard(const SearchArrays& search, std::int64_t t);

/// How many of the first restarts of a target lie about the seed state, if there is one.
inline std::int64_t seedsAround(const Run& run) {
  return run.checks ? 0 : run.min_restarts;
}

/// Writes the seed of target t's latest random restart to `q`; restarts count from 1.
///
/// Solutions with joints at limits are the ones that are hard to find, and from seeds at limits
/// they are found up to fifty times as often. Those about the seed state, which is the first of
/// them, lie in a box around it that grows from nothing to the whole one, so that the search is
/// densest close to it.
void writeRestart(const SearchArrays& search, bool traced, std::int64_t t);

}  // namespace generative_ik::search

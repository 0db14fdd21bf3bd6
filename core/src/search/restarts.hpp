/// Seeds of random restarts.
#pragma once

#include "state.hpp"

namespace generative_ik::search {

/// Whether restarts have come to nothing so often that a target counts as hard.
bool isHard(const SearchArrays& search, std::int64_t t);

/// Writes the seed of target t's latest random restart to `q`; restarts count from 1.
///
/// Solutions with joints at limits are the ones that are hard to find, and from seeds at limits
/// they are found up to fifty times as often.
void writeRestart(const SearchArrays& search, bool traced, std::int64_t t);

}  // namespace generative_ik::search

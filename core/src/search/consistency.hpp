/// Whether the arrays of a call of the search are those of a search: numbers that come from
/// another language may be any.
#pragma once

#include "state.hpp"

namespace generative_ik::search {

/// Lengths of a call's arrays that `SearchArrays` do not say.
struct ArraySizes {
  std::int64_t targets;     ///< Records of targets, and rows of all arrays that have one for each.
  std::int64_t poses;       ///< Targets, or the alternatives of the one target.
  std::int64_t given_rows;  ///< Targets that seeds are given for; 0 if none are given.
};

/// What is wrong with the arrays of a call, or null if it can work with them and comes to an end.
/// No run has begun, so lanes are not looked at.
///
/// Records and solutions are looked at as far as they are open: it takes some 10 ns for each
/// target, and as much for each of its solutions.
const char* faultOf(const SearchArrays& arrays, const ArraySizes& sizes);

/// The same of box, pool, run and targets, which are all that a search begins with.
const char* faultOfTargets(const SearchArrays& arrays, const ArraySizes& sizes);

}  // namespace generative_ik::search

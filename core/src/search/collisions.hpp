/// The collision check, as the search calls it: by its address, if there is one.
#pragma once

#include "pool.hpp"
#include "records.hpp"

namespace generative_ik::search {

/// Returns a `Verdict`, given the address of its context and of a configuration (n).
using CollisionCheck = std::int64_t (*)(std::int64_t context, std::int64_t q, std::int64_t n);

/// The verdict on a configuration; everything is free if there is nothing to check.
Verdict collisionVerdict(const Run& run, const double* q, std::int64_t size);

/// Takes back a solution of target t, whose record is given, that is the same as another one.
void drop(const Pool& pool, Target& target, std::int64_t t, std::int64_t known);

}  // namespace generative_ik::search

/// Solutions that collide, or that spheres cannot tell to be free.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "pool.hpp"
#include "records.hpp"

namespace generative_ik::search {

/// Solutions that spheres prove to be this far from a collision come before closer ones [m].
inline constexpr double kMarginWanted = 5e-4;

/// The verdict on a configuration; everything is free if there is nothing to check.
inline Verdict verdictOf(const CollisionCheck* check, const double* q) {
  return check != nullptr && *check ? (*check)(q) : Verdict::kFree;
}

/// Whether a configuration that spheres cannot tell of collides, by the shapes themselves.
using Collides = std::function<bool(std::span<const double> q)>;

/// The check that asks for it, for configurations of so many numbers.
CollisionCheck deciding(CollisionCheck check, Collides collides, std::int64_t size);

/// Takes back a solution of target t, whose record is given, that is the same as another one.
void drop(const Pool& pool, Target& target, std::int64_t t, std::int64_t known);

}  // namespace generative_ik::search

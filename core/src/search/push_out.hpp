/// Steps out of collisions: a solution that collides by little mostly has a free one beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <generative_ik/collision_world.hpp>

namespace generative_ik::search {

/// What may be tuned of steps out of collisions.
struct PushOptions {
  /// Dimensions of a target's solution set from which on steps are taken: of those of arms, the
  /// local solver takes back nearly all of a step.
  std::int64_t freedom = 6;
  double deepest = 0.05;  ///< Of what is deeper, hardly a step in twenty leads out [m].
  double margin = 0.02;   ///< Distance that things are to have after a step [m].
  /// So many times as long is a step as that takes without tips that stay where they are.
  double excess = 6.0;
  double longest = 1.5;       ///< Of the joint that moves furthest [rad or m].
  std::int64_t most = 3;      ///< Steps that a seed takes.
  std::size_t contacts = 16;  ///< The deepest ones, which a step is to end.
};

inline constexpr PushOptions kPushOptions{};

/// Returns where a configuration (n) that collides is free as far as the gradients of the
/// distances tell, with no regard to limits; null if it is too deep in something. It stays until
/// the next call.
using PushOut = std::function<const double*(const double* q)>;

/// Steps in a world, which must outlive it, with memory of its own.
PushOut pushOutIn(const CollisionWorld& world);

}  // namespace generative_ik::search

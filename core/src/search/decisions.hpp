/// Exact collision checks of solutions that spheres cannot decide, as far as they are wanted.
#pragma once

#include <cstdint>
#include <functional>
#include <generative_ik/pose_error.hpp>
#include <optional>
#include <span>

#include "collisions.hpp"
#include "state.hpp"

namespace generative_ik::search {

/// What decides on undecided solutions, and in which order: that in which they are returned.
struct Decisions {
  std::int64_t wanted;      ///< Solutions of a target that are returned.
  std::int64_t looked_for;  ///< After which the search for a target ends.
  bool nearest = false;     ///< Whether the nearest to the seed state come first.
  /// Whether which solutions are returned is not known before the end: all are decided on.
  bool all = false;
  /// Of approximations, within what the exact ones are, which come first.
  std::optional<Tolerance> exact = {};
  /// Whether of these the one with the least error comes first, and which: 0 the distance, 1 the
  /// angle.
  std::optional<int> least_error = {};
  /// Any thread calls it.
  Collides collides = {};
  /// Writes the scores (M) of configurations (M, n), of which the best come first, likewise; none:
  /// no score says which do.
  std::function<void(std::span<const double> rows, std::span<double> scores)> score = {};
};

/// Decides on solutions of targets whose search is over, from `first` to before `last`, until the
/// time to stop. Returns whether some of them are to be searched on: too many solutions collide.
bool decide(const Decisions& decisions, const SearchArrays& arrays, std::int64_t first,
            std::int64_t last, const parallel::StopWhen& stop);

}  // namespace generative_ik::search

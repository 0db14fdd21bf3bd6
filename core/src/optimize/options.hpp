/// What may be tuned of the null-space optimization.
#pragma once

#include <cstdint>

namespace generative_ik::optimize {

/// Lengths are those of steps of all joints together, in joint units: radians, or what is
/// comparable in metres.
struct Options {
  // Which solutions of a target are optimized.

  /// How far apart they are, in the joint that differs most [rad or m], and how many at most, the
  /// best: where solutions form curves, and where they form more.
  double apart_on_curves = 0.8;
  std::int64_t most_on_curves = 32;
  double apart_on_surfaces = 0.5;
  std::int64_t most_on_surfaces = 64;
  /// Of solutions that lie evenly all over the set, those that have nothing better as near as
  /// this.
  double apart_when_even = 0.4;
  /// As many as are wanted go on to the optimum, within these bounds: the best so far apart.
  double apart_at_last = 0.2;
  std::int64_t least_at_last = 4;
  std::int64_t most_at_last = 16;

  // The steps of the pattern search.

  double first_radius = 0.25;      ///< Of the first step, unless solutions lie evenly.
  double coarse_radius = 0.1;      ///< Below it, only some go on; even solutions begin with it.
  double fine_radius = 0.05;       ///< From it on, clearances are those between shapes.
  double least_radius = 2e-3;      ///< Below it, a configuration is an optimum.
  double largest_radius = 0.6;     ///< Of a step further in the same direction.
  double growth = 1.6;             ///< Of the radius, while steps in a direction succeed.
  double shrinkage = 0.35;         ///< Of the radius, where no direction is better.
  double vertex_shrinkage = 0.25;  ///< Likewise, once the vertex of a parabola was tried.
  /// The search ends where all trials around lose no more than this share of the score: where it
  /// is concave, nothing between them is better by more.
  double negligible = 1e-3;
  std::int64_t most_trials = 80;     ///< Of a configuration.
  std::int64_t most_iterations = 8;  ///< Of the local solver, which brings a trial to its pose.
};

inline constexpr Options kOptions{};

}  // namespace generative_ik::optimize

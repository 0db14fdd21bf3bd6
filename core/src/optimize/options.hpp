/// What may be tuned of the null-space optimization.
#pragma once

#include <cstdint>

namespace generative_ik::optimize {

/// Lengths are those of steps of all joints together, in joint units: radians, or what is
/// comparable in metres.
struct Options {
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

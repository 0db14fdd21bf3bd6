/// What the local solvers of one tip and of several goals have in common: parameters and lanes.
#pragma once

#include <cstdint>

#include "../simd/lanes.hpp"

namespace generative_ik {

/// Seeds that are iterated together, on every processor, so that all find the same solutions.
constexpr int kLanes = 8;

/// One number for each seed.
struct alignas(64) LaneRow {
  double lane[kLanes];  // NOLINT(*-avoid-c-arrays)
};

/// Parameters of the iteration.
struct LaneOptions {
  double position_weight;        ///< Of a position error [1/m]; 0 leaves the position free.
  double orientation_weight;     ///< Of an orientation error [1/rad]; 0 leaves it free.
  double position_tolerance;     ///< [m]
  double orientation_tolerance;  ///< Of the chord 2 sin(angle / 2) [rad].
  std::int64_t max_iterations;   ///< Iterations after which a seed is given up.
  double damping;                ///< Per squared weighted error.
  double max_step;            ///< Largest step of a joint in one iteration, in units of its scale.
  std::int64_t stall_window;  ///< Iterations between two checks of a seed's progress.
  /// A seed is given up if its squared error has not fallen to this share of what it was at the
  /// last check.
  double stall_ratio;
};

/// The rows that a search reads and writes, whatever is iterated; the others are the solver's.
struct SeedRows {
  LaneRow* q;                  ///< (variables) configurations [rad or m].
  LaneRow* moving;             ///< 1 where the seed may move, else 0.
  LaneRow* damping;            ///< Per squared weighted error.
  LaneRow* stretch;            ///< Orientation error that is minimised, in units of its chord.
  LaneRow* position_error;     ///< [m]
  LaneRow* orientation_error;  ///< The chord 2 sin(angle / 2) [rad].
};

inline double squared(double number) {
  return number * number;
}

/// The weighted squared error of a distance [m] and an angle or its chord [rad].
inline double squaredError(const LaneOptions& options, double position, double orientation) {
  return squared(options.position_weight * position) +
         squared(options.orientation_weight * orientation);
}

/// Whether a distance [m] and an angle's chord [rad] are within the tolerances; what is free is.
inline bool isWithin(const LaneOptions& options, double position, double chord) {
  return (options.position_weight == 0.0 || position <= options.position_tolerance) &&
         (options.orientation_weight == 0.0 || chord <= options.orientation_tolerance);
}

}  // namespace generative_ik

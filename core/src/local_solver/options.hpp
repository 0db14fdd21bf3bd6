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
template <class Scalar>
struct StepOptions {
  Scalar position_weight;        ///< Of a position error [1/m]; 0 leaves the position free.
  Scalar orientation_weight;     ///< Of an orientation error [1/rad]; 0 leaves it free.
  Scalar position_tolerance;     ///< [m]
  Scalar orientation_tolerance;  ///< Of the chord 2 sin(angle / 2) [rad].
  std::int64_t max_iterations;   ///< Iterations after which a seed is given up.
  Scalar damping;                ///< Per squared weighted error.
  Scalar max_step;            ///< Largest step of a joint in one iteration, in units of its scale.
  std::int64_t stall_window;  ///< Iterations between two checks of a seed's progress.
  /// A seed is given up if its squared error has not fallen to this share of what it was at the
  /// last check.
  Scalar stall_ratio;
};
using LaneOptions = StepOptions<double>;

/// The rows that a search reads and writes, whatever is iterated; the others are the solver's.
template <class Row>
struct SeedRowsOf {
  Row* q;                  ///< (variables) configurations [rad or m].
  Row* moving;             ///< 1 where the seed may move, else 0.
  Row* damping;            ///< Per squared weighted error.
  Row* stretch;            ///< Orientation error that is minimised, in units of its chord.
  Row* position_error;     ///< [m]
  Row* orientation_error;  ///< The chord 2 sin(angle / 2) [rad].
};
using SeedRows = SeedRowsOf<LaneRow>;

template <std::floating_point Scalar>
GENERATIVE_IK_DEVICE inline Scalar squared(Scalar number) {
  return number * number;
}

/// The weighted squared error of a distance [m] and an angle or its chord [rad].
template <class Scalar>
GENERATIVE_IK_DEVICE inline Scalar squaredError(const StepOptions<Scalar>& options,
                                                Scalar position, Scalar orientation) {
  return squared(options.position_weight * position) +
         squared(options.orientation_weight * orientation);
}

/// Whether a distance [m] and an angle's chord [rad] are within the tolerances; what is free is.
template <class Scalar>
GENERATIVE_IK_DEVICE inline bool isWithin(const StepOptions<Scalar>& options, Scalar position,
                                          Scalar chord) {
  return (options.position_weight == Scalar(0.0) || position <= options.position_tolerance) &&
         (options.orientation_weight == Scalar(0.0) || chord <= options.orientation_tolerance);
}

}  // namespace generative_ik

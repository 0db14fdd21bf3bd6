/// What searches ask of a local solver: eight seeds in lanes, iterated together.
#pragma once

#include <concepts>
#include <cstdint>

#include "options.hpp"

namespace generative_ik {

/// A local solver towards the one tip of a chain, or towards several goals. It is a view of a
/// problem's numbers, its targets and the lanes' memory, made anew for each call; functions that
/// change the lanes are const because they change what it views.
template <class Solver>
concept LocalSolver = requires(const Solver& solver, int lane, std::int64_t target,
                               const double* bounds, double position, double orientation) {
  { solver.options() } -> std::convertible_to<const LaneOptions&>;
  { solver.rows() } -> std::convertible_to<const SeedRows&>;
  /// Fills lanes that hold no seed yet with numbers that are safe to compute with.
  { solver.clear() } -> std::same_as<void>;
  /// Writes a target, and its region, to a lane.
  { solver.load(lane, target) } -> std::same_as<void>;
  /// Computes the errors of the configurations in all lanes.
  { solver.measure() } -> std::same_as<void>;
  /// Moves the lanes that may move one step, inside bounds (variables) that may be infinite;
  /// `measure` came before it.
  { solver.advance(bounds, bounds) } -> std::same_as<void>;
  /// Whether the seed in a lane has come to where it is to be, after `measure`; it may go there
  /// from nearby, between the bounds of `advance`.
  { solver.converges(lane, bounds, bounds) } -> std::same_as<bool>;
  /// The weighted squared error in a lane. The errors are those of its rows; the orientation's is
  /// an angle or its chord, of which solvers of several goals have their own sum.
  { solver.laneError(lane, position, orientation) } -> std::same_as<double>;
};

}  // namespace generative_ik

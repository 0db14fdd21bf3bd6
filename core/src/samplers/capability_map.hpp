/// A capability map: configurations by the cell of their reduced pose.
#pragma once

#include <cstdint>

#include "ends.hpp"

namespace generative_ik::samplers {

/// Configurations of a canonical chain, by the cells of their reduced poses in D coordinates.
struct CapabilityMap {
  Ends ends;
  std::int64_t num_variables;   ///< n
  std::int64_t num_stored;      ///< N
  std::int64_t dimensions;      ///< D
  const double* origin;         ///< (D) least value of each coordinate [m or rad, or a cosine].
  const double* per_unit;       ///< (D) cells per unit.
  const std::int64_t* bins;     ///< (D) cells along each coordinate.
  const bool* circles;          ///< (D) whether a coordinate's last cell is next to its first.
  const std::int64_t* starts;   ///< (C + 1) where each of the C cells' configurations begin.
  const double* positions;      ///< (N, n) with outer joints at the azimuth 0 [rad or m].
  const double* poses;          ///< (N, 3, 4) of the last joint, without their azimuth [m].
  const std::int64_t* offsets;  ///< (O, D) cells around a cell, nearest rings first.
  std::int64_t num_offsets;     ///< O
};

/// Cells around a target's of which configurations are of use, along each coordinate.
inline constexpr double kCapabilityRings = 2.0;

/// Seeds that are looked up for each of some targets.
struct CapabilityQuery {
  const double* targets;  ///< (T, 4, 4) last joint frame in the first joint frame.
  std::int64_t num_targets;
  const double* shift;  ///< (D) shares of a cell by which targets are moved beforehand.
  std::int64_t first;   ///< Fitting configurations to skip.
  std::int64_t count;   ///< K, seeds that are wanted.
  const double* lower;  ///< (n) bounds [rad or m].
  const double* upper;  ///< (n) likewise.
};

/// Writes stored configurations of the cells around each target (T, K, n), outer joints fitted,
/// and how many of the K were found (T).
void lookUp(const CapabilityMap& map, const CapabilityQuery& query, double* seeds,
            std::int64_t* found);

}  // namespace generative_ik::samplers

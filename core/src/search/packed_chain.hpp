/// A chain and its tolerances in two flat arrays, as Python packs them (search/problem.py).
#pragma once

#include <cstdint>

#include "../local_solver/lane_problem.hpp"
#include "../verify/rodrigues.hpp"

namespace generative_ik::search {

/// Views into the two arrays.
struct PackedChain {
  LaneChain chain;
  LaneOptions options;
  verify::RodriguesChain verifier;
  double position_tolerance;     ///< [m]
  double orientation_tolerance;  ///< [rad]
  double reach;    ///< No tip is further than this from the first joint [m]; inf if it is free.
  bool redundant;  ///< Whether the chain has more joints than the tolerances constrain.
};

/// Whether arrays of such sizes hold a chain, of joints that follow variables that there are.
bool holdsChain(const double* floats, std::int64_t num_floats, const std::int64_t* ints,
                std::int64_t num_ints);

/// Unpacks a chain, see `holdsChain`.
PackedChain unpackChain(const double* floats, const std::int64_t* ints);

}  // namespace generative_ik::search

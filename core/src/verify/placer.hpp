/// Places tips: independent forward kinematics of many configurations.
#pragma once

#include <cstdint>

#include "../simd/instruction_sets.hpp"
#include "rodrigues_tree.hpp"

namespace generative_ik::verify {

/// Configurations, one after the other.
struct PlacedRows {
  const double* positions;  // (count, size) [rad or m]
  std::int64_t count;
  std::int64_t size;  // variables
};

/// Writes the tip in the base (4, 4) of each configuration [m]; compiled for a set of
/// instructions.
using PlaceKernel = void (*)(const RodriguesChain&, const PlacedRows&, double* poses);

PlaceKernel place(simd::Baseline);
PlaceKernel place(simd::Avx2);
PlaceKernel place(simd::Avx512);

/// Writes the tip in the base (count, 4, 4), by the fastest of them.
void placeTips(const RodriguesChain& chain, const PlacedRows& rows, double* poses);

/// Writes each goal's tip in its reference (count, G, 4, 4) [m].
void placeTips(const RodriguesTree& tree, const PlacedRows& rows, double* poses);

}  // namespace generative_ik::verify

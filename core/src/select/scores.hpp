/// Scores by which solutions are ordered: how far they are from singularities and from limits.
#pragma once

#include <cstdint>

#include "../simd/instruction_sets.hpp"
#include "../verify/placer.hpp"

namespace generative_ik {

/// Writes the manipulability of each configuration (rows.count): the volume that the columns of
/// the Jacobian span, or its rows if the chain has more than six joints, in metres and radians (T.
/// Yoshikawa, Manipulability of robotic mechanisms, 1985). Compiled for a set of
/// instructions.
using ManipulabilityKernel = void (*)(const verify::RodriguesChain&, const verify::PlacedRows&,
                                      double* scores);

ManipulabilityKernel manipulability(simd::Baseline);
ManipulabilityKernel manipulability(simd::Avx2);
ManipulabilityKernel manipulability(simd::Avx512);

/// Writes the manipulability of each configuration, on the library's threads.
void manipulability(const verify::RodriguesChain& chain, const verify::PlacedRows& rows,
                    double* scores);

/// Writes each configuration's distance from the nearest joint limit as a share of the joint's
/// range, at most 0.5; joints without limits do not count.
void limitMargin(const verify::PlacedRows& rows, const double* lower, const double* upper,
                 double* scores);

}  // namespace generative_ik

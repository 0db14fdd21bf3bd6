/// Refinement of given seeds towards the one tip of a chain, compiled.
#pragma once

#include "chain_solver.hpp"
#include "refine.hpp"

namespace generative_ik {

/// Moves each seed towards its target, and writes where it ended. Args: poses: (targets, 4, 4) tip
/// in base [m].
void refineChain(const LaneChain& chain, const LaneOptions& options, const double* poses,
                 const Refinement& task, const SeedShares& shares);

}  // namespace generative_ik

/// Chains from one base as the search for several tips, or within regions, takes them.
#pragma once

#include "../regions/region_numbers.hpp"
#include "../tracking/tracked_model.hpp"
#include "packed_chain.hpp"

namespace generative_ik {

/// The problem of tips, to be solved within tolerances, for `withRegions`; see
/// `search::GoalNumbers`.
///
/// Args: step_units: of each shared variable (size) [rad or m]. length: that weighs as much as
/// 1 rad [m].
PackedChain packedTree(const std::vector<Chain>& chains, const tracking::SharedVariables& shared,
                       const Vector& step_units, double length, const Tolerance& tolerance);

/// A packed tree with the regions of a call.
PackedChain withRegions(const PackedChain& tree, const regions::PackedRegions& regions);

}  // namespace generative_ik

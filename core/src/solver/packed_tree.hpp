/// Chains from one base as the search for several tips takes them.
#pragma once

#include "../tracking/tracked_model.hpp"
#include "packed_chain.hpp"

namespace generative_ik {

/// The problem of several tips, to be solved within tolerances; see `search::GoalNumbers`.
///
/// Args: step_units: of each shared variable (size) [rad or m]. length: that weighs as much as
/// 1 rad [m].
PackedChain packedTree(const std::vector<Chain>& chains, const tracking::SharedVariables& shared,
                       const Vector& step_units, double length, const Tolerance& tolerance);

}  // namespace generative_ik

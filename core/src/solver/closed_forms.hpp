/// What closed forms are asked of a solver's chains.
#pragma once

#include <generative_ik/solver.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "../limbs/limbs_problem.hpp"
#include "packed_chain.hpp"
#include "search_model.hpp"

namespace generative_ik {

/// That of a chain, if it has one that takes microseconds, or six joints. Args: packed: the chain
/// and its tolerances. options: of the solver.
std::optional<limbs::LimbForm> closedFormOf(const Chain& chain, const PackedChain& packed,
                                            const SolverOptions& options);

/// That of chains that share no joint, if each of them has one; else null. Args: model: of the
/// chains.
std::unique_ptr<const limbs::LimbsProblem> limbsOf(const std::vector<Chain>& chains,
                                                   const SearchModel& model,
                                                   const SolverOptions& options);

}  // namespace generative_ik

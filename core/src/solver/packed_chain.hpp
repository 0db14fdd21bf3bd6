/// Chains as the search and the local solver take them: packed into two arrays of numbers.
#pragma once

#include <array>
#include <cstdint>
#include <generative_ik/chain.hpp>
#include <generative_ik/pose_error.hpp>
#include <span>
#include <vector>

#include "../local_solver/chain_solver.hpp"
#include "../local_solver/packed_joints.hpp"

namespace generative_ik {

/// The numbers of a problem, as Python packs them, too.
struct PackedChain {
  std::vector<double> floats;
  std::vector<std::int64_t> ints;
  LaneOptions options;  ///< Those that are among the numbers.

  [[nodiscard]] Packed view() const {
    return {floats.data(), floats.size(), ints.data(), ints.size()};
  }
  /// The part of them that the local solver takes.
  [[nodiscard]] LaneChain chain() const { return unpackChain(floats.data(), ints.data()); }
};

/// How many coordinates of the tip's pose the tolerances constrain.
int countConstraints(const Tolerance& tolerance);

/// The parameters of the local solver. Args: length: that weighs as much as 1 rad [m].
LaneOptions solverOptions(const Tolerance& tolerance, double length);

/// The problem of a chain, to be solved within tolerances.
PackedChain packed(const Chain& chain, const Tolerance& tolerance);

/// Appends the joints of chains for the verification.
void appendVerifierJoints(std::span<const Chain> chains, std::vector<double>& numbers);

/// Appends the parameters of the local solver.
void appendOptions(const LaneOptions& options, std::vector<double>& numbers);

}  // namespace generative_ik

/// Variables of several chains.
#pragma once

#include <cstdint>
#include <generative_ik/chain.hpp>
#include <vector>

namespace generative_ik {

/// Chains from one base whose variables of the same name are the same.
struct SharedVariables {
  std::vector<Variable> variables;                ///< In the order in which they are first named.
  std::vector<std::vector<std::int64_t>> places;  ///< Of each chain's variables among them.

  /// Throws std::invalid_argument if there is no chain, or chains differ about a variable.
  explicit SharedVariables(const std::vector<Chain>& chains);
};

}  // namespace generative_ik

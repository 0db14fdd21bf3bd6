// Chains as the search and the local solver take them: packed into two arrays of numbers.
#pragma once

#include <generative_ik/chain.hpp>
#include <vector>

#include "../src/local_solver/chain_solver.hpp"

namespace generative_ik::test {

struct PackedChain {
  std::vector<double> floats;
  std::vector<std::int64_t> ints;

  [[nodiscard]] Packed view() const {
    return {floats.data(), floats.size(), ints.data(), ints.size()};
  }
};

// The problem of a chain with tolerances of 1e-5 m and rad.
PackedChain packed(const Chain& chain);

// A pose (4, 4) row by row.
void appendPose(const Eigen::Isometry3d& pose, std::vector<double>& numbers);

}  // namespace generative_ik::test

/// A chain and its tolerances, for the local solver and for verification, with all their numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "../search/chain_problem.hpp"

namespace generative_ik::answers {

using verify::PoseGap;
using verify::RodriguesChain;

/// Owns the numbers that the chain points to.
class ChainNumbers {
 public:
  /// The numbers are those of a `ChainProblem`. Throws std::invalid_argument unless they are those
  /// of a chain that has as many joints as variables, between two numbers.
  ChainNumbers(std::vector<double> floats, std::vector<std::int64_t> ints,
               std::int64_t least_joints, std::int64_t most_joints);
  ChainNumbers(const ChainNumbers&) = delete;
  ChainNumbers& operator=(const ChainNumbers&) = delete;
  ChainNumbers(ChainNumbers&&) = delete;
  ChainNumbers& operator=(ChainNumbers&&) = delete;
  ~ChainNumbers() = default;

  /// As `ChainProblem` takes them.
  [[nodiscard]] Packed packed() const {
    return {floats_.data(), floats_.size(), ints_.data(), ints_.size()};
  }
  [[nodiscard]] const RodriguesChain& verifier() const { return verifier_; }
  [[nodiscard]] std::int64_t numJoints() const { return verifier_.num_joints; }
  [[nodiscard]] double positionTolerance() const { return position_tolerance_; }
  [[nodiscard]] double orientationTolerance() const { return orientation_tolerance_; }

 private:
  std::vector<double> floats_;
  std::vector<std::int64_t> ints_;
  RodriguesChain verifier_{};
  double position_tolerance_ = 0.0;     // [m]
  double orientation_tolerance_ = 0.0;  // [rad]
};

}  // namespace generative_ik::answers

/// A chain and its tolerances, for the local solver and for verification, with all their numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "../search/chain_problem.hpp"

namespace generative_ik::answers {

using verify::PoseGap;
using verify::RodriguesChain;

/// Copies share the numbers that the chain points to.
class ChainNumbers {
 public:
  /// The numbers are those of a `ChainProblem`. Throws std::invalid_argument unless they are those
  /// of a chain that has so many joints, and as many variables.
  ChainNumbers(std::vector<double> floats, std::vector<std::int64_t> ints, std::int64_t joints);

  /// As `ChainProblem` takes them.
  [[nodiscard]] Packed packed() const {
    return {numbers_->floats.data(), numbers_->floats.size(), numbers_->ints.data(),
            numbers_->ints.size()};
  }
  /// As the local solver takes it.
  [[nodiscard]] LaneChain lanes() const {
    return unpackChain(numbers_->floats.data(), numbers_->ints.data());
  }
  /// Of the local solver.
  [[nodiscard]] const LaneOptions& options() const { return options_; }
  [[nodiscard]] const RodriguesChain& verifier() const { return verifier_; }
  [[nodiscard]] std::int64_t numJoints() const { return verifier_.num_joints; }
  [[nodiscard]] double positionTolerance() const { return position_tolerance_; }
  [[nodiscard]] double orientationTolerance() const { return orientation_tolerance_; }

 private:
  struct Numbers {
    std::vector<double> floats;
    std::vector<std::int64_t> ints;
  };

  std::shared_ptr<const Numbers> numbers_;
  LaneOptions options_{};
  RodriguesChain verifier_{};
  double position_tolerance_ = 0.0;     // [m]
  double orientation_tolerance_ = 0.0;  // [rad]
};

}  // namespace generative_ik::answers

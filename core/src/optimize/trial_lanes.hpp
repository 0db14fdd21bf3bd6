/// Trials of up to eight configurations side by side.
#pragma once

#include <vector>

#include "lane_jacobian.hpp"
#include "null_space_optimizer.hpp"

namespace generative_ik::optimize {

/// The lanes of one thread. `Space` is a ChainSpace or a GoalSpace.
template <class Space>
class TrialLanes {
 public:
  TrialLanes(const NullSpaceOptimizer& optimizer, const Space& space);

  /// Scores configurations (count <= kLanes, n) by their manipulability.
  void scoreManipulability(const double* positions, int count, double* scores);

  /// Makes a trial of each of some configurations (count <= kLanes); scores it unless the caller
  /// does.
  void tryAll(NullSpaceOptimizer& optimizer, const std::int64_t* some, int count,
              CollisionMemory& memory);

 private:
  void writeTrial(NullSpaceOptimizer& optimizer, std::int64_t s, int lane);
  void returnToPoses(int count) const;
  void readTrial(NullSpaceOptimizer& optimizer, std::int64_t s, int lane) const;
  [[nodiscard]] double manipulabilityIn(int lane);

  const Setting& setting_;
  const Space& space_;
  std::int64_t size_;
  std::vector<double> jacobian_;  // (rows, n)
  std::vector<double> volume_;    // the same, or its transpose
  std::vector<double> basis_;     // (dimension, n)
};

}  // namespace generative_ik::optimize

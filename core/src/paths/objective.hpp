/// What makes one path better than another.
#pragma once

#include <utility>
#include <vector>

#include "task.hpp"

namespace generative_ik::paths {

/// What is compared: a path's value, and its length.
using Score = std::pair<double, double>;

/// How paths of a task are compared.
class Comparison {
 public:
  /// Keeps the task by reference.
  Comparison(const PathTask& task, Objective objective) : task_(task), objective_(objective) {}

  [[nodiscard]] Objective objective() const { return objective_; }
  /// Whether the worst pose of a path counts, rather than its motions.
  [[nodiscard]] bool ofPoses() const {
    return objective_ == Objective::kClearance || objective_ == Objective::kLimitMargin;
  }
  /// A length, with what errors cost that are left at poses, or a step, or a margin to be made
  /// large.
  [[nodiscard]] double value(const Rows& path) const;
  [[nodiscard]] Score score(const Rows& path) const;
  /// Whether one score is better than another; of equal values the shorter path is.
  [[nodiscard]] bool isBetter(const Score& one, const Score& other) const;
  /// The poses of a path at which its margin is below a value.
  [[nodiscard]] std::vector<std::int64_t> worsePoses(const Rows& path, double value) const;
  /// The clearance [m], or the distance to the nearest limit as a share of the joint's range, of
  /// each configuration.
  void writeMargins(const Rows& rows, double* margins) const;

 private:
  [[nodiscard]] double limitMargin(const double* q) const;

  const PathTask& task_;
  Objective objective_;
};

}  // namespace generative_ik::paths

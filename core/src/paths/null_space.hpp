/// Null spaces of configurations: the directions of their self-motions.
#pragma once

#include <cstdint>
#include <vector>

#include "../local_solver/goals/goal_rows.hpp"
#include "freedom.hpp"

namespace generative_ik::paths {

/// A configuration of a pose, and the ways (6, 6) in which its tip is held; a tree's goals say so
/// themselves.
struct HeldConfiguration {
  const double* q;
  std::int64_t pose;
  const double* ways;
};

/// The null space of what a task's poses hold, in memory of its own.
class NullSpace {
 public:
  /// Keeps both by reference.
  NullSpace(const PathTask& task, const Freedom& freedom);

  /// Writes orthonormal rows (nullity, n) along which joints, each in units of 1 / `weight`, move
  /// without moving tips in the ways in which they are held; rows of 0 if there are fewer. Args:
  /// stopped: (n) which joints do not move; null: all move.
  void write(const HeldConfiguration& held, const double* weight, const char* stopped,
             double* basis);

 private:
  [[nodiscard]] double& at(std::int64_t row, std::int64_t v) {
    return jacobian_[static_cast<std::size_t>(row * task_.size + v)];
  }
  void writeJacobian(const double* q, const double* weight);
  void hold(const double* ways);
  // Of a tree, in the directions in which its goals are held.
  void writeTreeJacobian(const HeldConfiguration& held, const double* weight);

  const PathTask& task_;
  const Freedom& freedom_;
  std::int64_t num_rows_;
  std::vector<double> jacobian_;  // (rows, n)
  std::vector<double> axes_;      // (m, 6) each joint's axis and a point on it
  std::vector<LaneRow> memory_;   // of a tree's goals
  GoalRows rows_{};
};

}  // namespace generative_ik::paths

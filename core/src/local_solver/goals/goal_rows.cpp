#include "goal_rows.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "../lane_rows.hpp"

namespace generative_ik {
namespace {

/// Hands out rows one after the other; without memory it counts them.
class RowSource {
 public:
  explicit RowSource(LaneRow* memory) : memory_(memory) {}

  LaneRow* take(std::int64_t count) {
    const std::int64_t first = std::exchange(count_, count_ + count);
    return memory_ == nullptr ? nullptr : memory_ + first;
  }
  [[nodiscard]] std::int64_t count() const { return count_; }

 private:
  LaneRow* memory_;
  std::int64_t count_ = 0;
};

GoalRows layOut(RowSource& source, const GoalTree& tree) {
  const std::int64_t goals = tree.num_goals;
  GoalRows rows{};
  rows.seeds.q = source.take(tree.num_variables);
  rows.seeds.moving = source.take(1);
  rows.seeds.damping = source.take(1);
  rows.seeds.stretch = source.take(1);
  rows.seeds.position_error = source.take(1);
  rows.seeds.orientation_error = source.take(1);
  rows.error = source.take(1);
  rows.target = source.take(GoalRows::kTargetSize * goals);
  rows.axes = source.take(6 * tree.num_joints);
  rows.slots = source.take(7 * tree.num_slots);
  rows.tip = source.take(3 * goals);
  rows.gap = source.take(6 * goals);
  rows.directions = source.take(18 * goals);
  rows.jacobian = source.take(6 * tree.num_columns);
  rows.normal = source.take(36 * goals * goals);
  rows.factor = source.take(36 * goals * goals);
  rows.solution = source.take(6 * goals);
  return rows;
}

}  // namespace

std::int64_t countGoalRows(const GoalTree& tree) {
  RowSource source(nullptr);
  layOut(source, tree);
  return source.count();
}

GoalRows goalRowsIn(LaneRow* memory, const GoalTree& tree) {
  RowSource source(memory);
  return layOut(source, tree);
}

void clearGoalLanes(const GoalRows& rows, const GoalTree& tree, const LaneOptions& options) {
  clearSeeds(rows.seeds, tree.num_variables, options);
  const std::array<double, GoalRows::kTargetSize> nothing = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0};
  for (std::int64_t g = 0; g < tree.num_goals; ++g) {
    for (std::size_t k = 0; k < nothing.size(); ++k) {
      LaneRow& row = rows.target[GoalRows::kTargetSize * g + static_cast<std::int64_t>(k)];
      std::fill_n(row.lane, kLanes, nothing[k]);
    }
  }
}

void loadGoals(const double* targets, const double* regions, const GoalTree& tree,
               const GoalRows& rows, int lane) {
  for (std::int64_t g = 0; g < tree.num_goals; ++g) {
    LaneRow* row = rows.target + GoalRows::kTargetSize * g;
    std::array<double, kPoseNumbers> pose{};
    poseNumbers(targets + 16 * g, pose.data());
    loadPose(pose.data(), row, lane);
    for (int k = 0; k < RegionRow::kSize; ++k) {
      row[kPoseNumbers + k].lane[lane] = regions[RegionRow::kSize * g + k];
    }
  }
}

}  // namespace generative_ik

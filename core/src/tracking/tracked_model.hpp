/// A chain or a tree with its goals, as trackers take it.
#pragma once

#include <cstdint>
#include <vector>

#include "../regions/region_numbers.hpp"
#include "../solver/joint_tree.hpp"

namespace generative_ik::tracking {

/// Joints with their goals, and the regions about their targets.
class TrackedModel {
 public:
  /// Args: joints: whose step units are the motions that cost as much as 1 rad of others. regions,
  /// bounded: (goals, 18) and (goals), see `regions::PackedRegions`. num_closures: how many of the
  /// last goals keep loops closed.
  TrackedModel(JointTree joints, std::vector<double> regions, std::vector<std::int64_t> bounded,
               std::size_t num_closures = 0);

  /// Goals that are poses.
  explicit TrackedModel(JointTree joints);

  TrackedModel(const TrackedModel&) = delete;
  TrackedModel& operator=(const TrackedModel&) = delete;
  TrackedModel(TrackedModel&&) = default;
  TrackedModel& operator=(TrackedModel&&) = default;
  ~TrackedModel() = default;

  /// Bounds tips by regions about their targets. Args: regions: one for each tip.
  void boundBy(const regions::PackedRegions& regions);

  [[nodiscard]] const GoalTree& tree() const { return tree_; }
  [[nodiscard]] const double* regions() const { return regions_.data(); }
  [[nodiscard]] std::size_t numVariables() const {
    return static_cast<std::size_t>(joints_.numVariables());
  }
  [[nodiscard]] std::size_t numGoals() const { return bounded_.size(); }
  [[nodiscard]] std::size_t numClosures() const { return num_closures_; }
  [[nodiscard]] std::size_t numTips() const { return numGoals() - num_closures_; }

 private:
  // Points `tree_` to the numbers of all.
  void pointToNumbers();

  JointTree joints_;
  GoalTree tree_{};
  std::vector<double> regions_;
  std::vector<std::int64_t> bounded_;
  std::size_t num_closures_;
};

}  // namespace generative_ik::tracking

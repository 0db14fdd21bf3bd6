/// A chain or a tree with its goals, in memory of its own, as trackers take it.
#pragma once

#include <cstdint>
#include <generative_ik/chain.hpp>
#include <vector>

#include "../local_solver/goals/goal_tree.hpp"
#include "../regions/region_numbers.hpp"

namespace generative_ik::tracking {

/// Chains from one base whose variables of the same name are the same.
struct SharedVariables {
  std::vector<Variable> variables;                ///< In the order in which they are first named.
  std::vector<std::vector<std::int64_t>> places;  ///< Of each chain's variables among them.

  /// Throws std::invalid_argument if there is no chain, or chains differ about a variable.
  explicit SharedVariables(const std::vector<Chain>& chains);
};

/// The numbers that a `GoalTree` points to, and the regions about its targets.
class TrackedModel {
 public:
  /// Copies a tree, and regions (goals, 18). Args: steps: (variables) the motion of each that
  /// costs as much as 1 rad of others [rad or m]. num_closures: how many of the last goals keep
  /// loops closed.
  TrackedModel(const GoalTree& tree, const double* regions, const double* steps,
               std::size_t num_closures = 0);

  /// Chains, whose goals are their tips in the base.
  TrackedModel(const std::vector<Chain>& chains, const SharedVariables& shared,
               const double* steps);

  TrackedModel(const TrackedModel&) = delete;
  TrackedModel& operator=(const TrackedModel&) = delete;
  TrackedModel(TrackedModel&&) = default;
  TrackedModel& operator=(TrackedModel&&) = default;
  ~TrackedModel() = default;

  /// Bounds tips by regions about their targets. Args: regions: one for each tip.
  void boundBy(const regions::PackedRegions& regions);

  [[nodiscard]] const GoalTree& tree() const { return tree_; }
  [[nodiscard]] const double* regions() const { return regions_.data(); }
  [[nodiscard]] std::size_t numVariables() const { return scale_.size(); }
  [[nodiscard]] std::size_t numGoals() const { return bounded_.size(); }
  [[nodiscard]] std::size_t numClosures() const { return num_closures_; }
  [[nodiscard]] std::size_t numTips() const { return numGoals() - num_closures_; }

 private:
  // Points `tree_` to the numbers.
  void pointToNumbers();

  std::size_t num_closures_ = 0;
  GoalTree tree_{};
  std::vector<double> origins_, multiplier_, offset_, scale_, tip_, reference_, regions_;
  std::vector<std::int64_t> prismatic_, variable_, begin_, slot_, tip_slot_, reference_slot_;
  std::vector<std::int64_t> path_, path_end_, column_, coupled_, bounded_;
};

}  // namespace generative_ik::tracking

#include "null_space.hpp"

#include <algorithm>
#include <cmath>

#include "../local_solver/goals/goal_step.hpp"
#include "../model/null_basis.hpp"
#include "../simd/row_vectors.hpp"

namespace generative_ik::paths {
namespace {

using verify::Frame;
using verify::Vector3;

// Of a tree's goals, rows that are shorter than this share of the longest hold nothing, and so do
// rows of which only a share is left beside the others: loops hold most ways twice, and are closed
// to tolerances.
constexpr double kHoldsNothing = 1e-6;
constexpr double kHeldTwice = 1e-4;

}  // namespace

NullSpace::NullSpace(const PathTask& task, const Freedom& freedom)
    : task_(task), freedom_(freedom), num_rows_(6) {
  if (task.isTree()) {
    const GoalTree& tree = task.goals->tree;
    num_rows_ = 6 * tree.num_goals;
    memory_.resize(paths::at(countGoalRows(tree)));
    rows_ = goalRowsIn(memory_.data(), tree);
    clearGoalLanes(rows_, tree, task.goals->options);
  } else {
    axes_.resize(paths::at(6 * freedom.chain().num_joints));
  }
  jacobian_.resize(paths::at(num_rows_ * task.size));
}

void NullSpace::writeJacobian(const double* q, const double* weight) {
  const verify::RodriguesChain& chain = freedom_.chain();
  Frame<double> frame = Frame<double>::identity();
  for (std::int64_t j = 0; j < chain.num_joints; ++j) {
    const Vector3<double> axis = frame.turned(verify::axisOf(chain, j));
    verify::passJoint<double>(chain, j, q[chain.variable[j]], frame);
    const double numbers[] = {axis.x,         axis.y,         axis.z,  // NOLINT(*-avoid-c-arrays)
                              frame.origin.x, frame.origin.y, frame.origin.z};
    std::copy_n(numbers, 6, axes_.data() + 6 * j);
  }
  verify::passPose<double>(chain.tip, frame);
  const Vector3<double> tip = frame.origin;
  std::fill(jacobian_.begin(), jacobian_.end(), 0.0);
  for (std::int64_t j = 0; j < chain.num_joints; ++j) {
    const std::int64_t v = chain.variable[j];
    const double unit = chain.multiplier[j] / weight[v];
    const double* of = axes_.data() + 6 * j;
    const Vector3<double> axis = unit * Vector3<double>{of[0], of[1], of[2]};
    const bool slides = chain.prismatic[j] != 0;
    const Vector3<double> linear =
        slides ? axis : cross(axis, tip - Vector3<double>{of[3], of[4], of[5]});
    const Vector3<double> angular = slides ? Vector3<double>{0.0, 0.0, 0.0} : axis;
    const double column[] = {linear.x,  linear.y,  linear.z,  // NOLINT(*-avoid-c-arrays)
                             angular.x, angular.y, angular.z};
    for (std::int64_t r = 0; r < 6; ++r) {
      at(r, v) += column[r];
    }
  }
}

void NullSpace::hold(const double* ways) {
  for (std::int64_t v = 0; v < task_.size; ++v) {
    double column[6];  // NOLINT(*-avoid-c-arrays)
    for (std::int64_t r = 0; r < 6; ++r) {
      column[r] = at(r, v);
    }
    for (std::int64_t r = 0; r < 6; ++r) {
      at(r, v) = simd::innerProduct(ways + 6 * r, column, 6);
    }
  }
}

void NullSpace::writeTreeJacobian(const HeldConfiguration& held, const double* weight) {
  const search::GoalNumbers& goals = *task_.goals;
  const GoalTree& tree = goals.tree;
  const std::int64_t region = goals.checks.count == 1 ? 0 : held.pose;
  loadGoals(task_.targetsFrom(held.pose),
            goals.regions + region * tree.num_goals * RegionRow::kSize, tree, rows_, 0);
  for (std::int64_t v = 0; v < task_.size; ++v) {
    rows_.seeds.q[v].lane[0] = held.q[v];
  }
  GoalErrors<double>(tree, goals.options, rows_, 0).measure();
  GoalStep<double>(tree, goals.options, nullptr, nullptr, rows_, 0).writeJacobian();
  double longest = 0.0;
  for (std::int64_t r = 0; r < num_rows_; ++r) {
    for (std::int64_t v = 0; v < task_.size; ++v) {
      const std::int64_t column = tree.column[r / 6 * task_.size + v];
      at(r, v) = column < 0
                     ? 0.0
                     : rows_.jacobian[6 * column + r % 6].lane[0] / (tree.scale[v] * weight[v]);
    }
    longest = std::max(longest, simd::innerProduct(&at(r, 0), &at(r, 0), task_.size));
  }
  for (std::int64_t r = 0; r < num_rows_; ++r) {
    double* row = &at(r, 0);
    const double length = simd::innerProduct(row, row, task_.size);
    if (!(length > kHoldsNothing * kHoldsNothing * longest)) {
      std::fill_n(row, task_.size, 0.0);
    }
  }
}

void NullSpace::write(const HeldConfiguration& held, const double* weight, const char* stopped,
                      double* basis) {
  if (task_.isTree()) {
    writeTreeJacobian(held, weight);
  } else {
    writeJacobian(held.q, weight);
    hold(held.ways);
  }
  const auto is_stopped = [stopped](std::int64_t v) {
    return stopped != nullptr && stopped[v] != 0;
  };
  for (std::int64_t v = 0; v < task_.size; ++v) {
    for (std::int64_t r = 0; is_stopped(v) && r < num_rows_; ++r) {
      at(r, v) = 0.0;
    }
  }
  const std::int64_t dimensions = freedom_.nullity();
  writeNullBasis(jacobian_.data(), num_rows_, task_.size, dimensions, basis,
                 task_.isTree() ? kHeldTwice : kDependentRow);
  // Of a joint that moves no tip the basis has a unit vector, and nothing else.
  for (std::int64_t v = 0; v < task_.size; ++v) {
    for (std::int64_t a = 0; is_stopped(v) && a < dimensions; ++a) {
      basis[a * task_.size + v] = 0.0;
    }
  }
}

}  // namespace generative_ik::paths

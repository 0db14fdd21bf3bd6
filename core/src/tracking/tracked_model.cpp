#include "tracked_model.hpp"

#include <algorithm>

#include "../solver/packed_chain.hpp"

namespace generative_ik::tracking {
namespace {

template <class Number>
void copy(const Number* from, std::int64_t count, std::vector<Number>& to) {
  to.assign(from, from + count);
}

}  // namespace

TrackedModel::TrackedModel(const GoalTree& tree, const double* regions, const double* steps)
    : tree_(tree) {
  const std::int64_t m = tree.num_joints;
  const std::int64_t n = tree.num_variables;
  const std::int64_t g = tree.num_goals;
  copy(tree.origins, kPoseNumbers * m, origins_);
  copy(tree.prismatic, m, prismatic_);
  copy(tree.variable, m, variable_);
  copy(tree.multiplier, m, multiplier_);
  copy(tree.offset, m, offset_);
  copy(tree.begin, m, begin_);
  copy(tree.slot, m, slot_);
  copy(steps, n, scale_);
  copy(tree.tip_slot, g, tip_slot_);
  copy(tree.tip, kPoseNumbers * g, tip_);
  copy(tree.reference_slot, g, reference_slot_);
  copy(tree.reference, kPoseNumbers * g, reference_);
  copy(tree.path, 3 * *std::max_element(tree.path_end, tree.path_end + g), path_);
  copy(tree.path_end, g, path_end_);
  copy(tree.column, g * n, column_);
  copy(tree.coupled, g * g, coupled_);
  copy(tree.bounded, g, bounded_);
  copy(regions, g * RegionRow::kSize, regions_);
  pointToNumbers();
}

TrackedModel::TrackedModel(const Chain& chain, const double* steps) {
  const PackedChain packed_chain = packed(chain, {});
  const LaneChain joints = packed_chain.chain();
  const std::int64_t m = joints.num_joints;
  const std::int64_t n = joints.num_variables;
  copy(joints.origins, kPoseNumbers * m, origins_);
  copy(joints.prismatic, m, prismatic_);
  copy(joints.variable, m, variable_);
  copy(joints.multiplier, m, multiplier_);
  copy(joints.offset, m, offset_);
  copy(joints.tip, kPoseNumbers, tip_);
  copy(steps, n, scale_);
  begin_.assign(static_cast<std::size_t>(m), GoalTree::kBefore);
  slot_.assign(static_cast<std::size_t>(m), -1);
  tip_slot_ = {GoalTree::kBase};
  if (m > 0) {
    begin_.front() = GoalTree::kBase;
    slot_.back() = 0;
    tip_slot_ = {0};
  }
  reference_slot_ = {GoalTree::kIdentity};
  reference_ = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0};
  // Each variable has a column, even one that moves nothing.
  for (std::int64_t v = 0; v < n; ++v) {
    column_.push_back(v);
  }
  for (std::int64_t j = 0; j < m; ++j) {
    path_.insert(path_.end(), {j, 1, variable_[static_cast<std::size_t>(j)]});
  }
  path_end_ = {m};
  coupled_ = {1};
  bounded_ = {0};
  regions_.assign(RegionRow::kSize, 0.0);
  tree_.num_joints = m;
  tree_.num_variables = n;
  tree_.num_goals = 1;
  tree_.num_slots = m > 0 ? 1 : 0;
  tree_.num_columns = n;
  pointToNumbers();
}

void TrackedModel::pointToNumbers() {
  tree_.origins = origins_.data();
  tree_.prismatic = prismatic_.data();
  tree_.variable = variable_.data();
  tree_.multiplier = multiplier_.data();
  tree_.offset = offset_.data();
  tree_.begin = begin_.data();
  tree_.slot = slot_.data();
  tree_.scale = scale_.data();
  tree_.tip_slot = tip_slot_.data();
  tree_.tip = tip_.data();
  tree_.reference_slot = reference_slot_.data();
  tree_.reference = reference_.data();
  tree_.path = path_.data();
  tree_.path_end = path_end_.data();
  tree_.column = column_.data();
  tree_.coupled = coupled_.data();
  tree_.bounded = bounded_.data();
}

}  // namespace generative_ik::tracking

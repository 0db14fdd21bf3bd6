#include "tracked_model.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "../solver/packed_chain.hpp"

namespace generative_ik::tracking {
namespace {

constexpr std::array<double, kPoseNumbers> kIdentityPose = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0};

template <class Number>
void append(const Number* from, std::int64_t count, std::vector<Number>& to) {
  to.insert(to.end(), from, from + count);
}

template <class Number>
void copy(const Number* from, std::int64_t count, std::vector<Number>& to) {
  to.assign(from, from + count);
}

}  // namespace

TrackedModel::TrackedModel(const GoalTree& tree, const double* regions, const double* steps,
                           std::size_t num_closures)
    : num_closures_(num_closures), tree_(tree) {
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

SharedVariables::SharedVariables(const std::vector<Chain>& chains) {
  if (chains.empty()) {
    throw std::invalid_argument("a tree needs a chain");
  }
  for (const Chain& chain : chains) {
    // Those of one chain are different ones, whatever they are called.
    const std::size_t before = variables.size();
    std::vector<std::int64_t>& place = places.emplace_back();
    for (const Variable& variable : chain.variables()) {
      const auto end = variables.begin() + static_cast<std::ptrdiff_t>(before);
      const auto known = std::find_if(variables.begin(), end, [&](const Variable& other) {
        return other.name == variable.name;
      });
      const std::int64_t row = known - variables.begin();
      if (known != end && std::find(place.begin(), place.end(), row) != place.end()) {
        throw std::invalid_argument("a chain of a tree has two variables named " + variable.name);
      }
      place.push_back(row);
      if (known == end) {
        place.back() = static_cast<std::int64_t>(variables.size());
        variables.push_back(variable);
      } else if (known->lower != variable.lower || known->upper != variable.upper ||
                 known->continuous != variable.continuous ||
                 known->revolute != variable.revolute) {
        throw std::invalid_argument("chains differ in the limits or the kind of " + variable.name);
      } else {
        known->periodic = known->periodic && variable.periodic;
      }
    }
  }
}

TrackedModel::TrackedModel(const std::vector<Chain>& chains, const SharedVariables& shared,
                           const double* steps) {
  const std::size_t goals = chains.size();
  const std::size_t n = shared.variables.size();
  copy(steps, static_cast<std::int64_t>(n), scale_);
  column_.assign(goals * n, -1);
  for (std::size_t g = 0; g < goals; ++g) {
    const PackedChain packed_chain = packed(chains[g], {});
    const LaneChain joints = packed_chain.chain();
    const std::int64_t m = joints.num_joints;
    const auto first = static_cast<std::int64_t>(variable_.size());
    // Each variable has a column, even one that moves nothing.
    const std::int64_t first_column = tree_.num_columns;
    tree_.num_columns += joints.num_variables;
    for (std::size_t v = 0; v < shared.places[g].size(); ++v) {
      column_[g * n + static_cast<std::size_t>(shared.places[g][v])] =
          first_column + static_cast<std::int64_t>(v);
    }
    append(joints.origins, kPoseNumbers * m, origins_);
    append(joints.prismatic, m, prismatic_);
    append(joints.multiplier, m, multiplier_);
    append(joints.offset, m, offset_);
    append(joints.tip, kPoseNumbers, tip_);
    for (std::int64_t j = 0; j < m; ++j) {
      const std::int64_t variable = joints.variable[j];
      variable_.push_back(shared.places[g][static_cast<std::size_t>(variable)]);
      begin_.push_back(j == 0 ? GoalTree::kBase : GoalTree::kBefore);
      slot_.push_back(j == m - 1 ? tree_.num_slots : -1);
      path_.insert(path_.end(), {first + j, 1, first_column + variable});
    }
    path_end_.push_back(static_cast<std::int64_t>(path_.size() / 3));
    tip_slot_.push_back(m > 0 ? tree_.num_slots++ : GoalTree::kBase);
    reference_slot_.push_back(GoalTree::kIdentity);
    append(kIdentityPose.data(), kPoseNumbers, reference_);
  }
  tree_.num_joints = static_cast<std::int64_t>(variable_.size());
  tree_.num_variables = static_cast<std::int64_t>(n);
  tree_.num_goals = static_cast<std::int64_t>(goals);
  coupled_.assign(goals * goals, 1);
  bounded_.assign(goals, 0);
  regions_.assign(goals * RegionRow::kSize, 0.0);
  pointToNumbers();
}

void TrackedModel::boundBy(const regions::PackedRegions& regions) {
  regions_ = regions.solver;
  bounded_ = regions.bounded;
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

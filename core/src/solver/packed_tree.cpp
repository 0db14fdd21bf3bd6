#include "packed_tree.hpp"

#include <initializer_list>

namespace generative_ik {
namespace {

template <class Number>
void append(const Number* from, std::int64_t count, std::vector<Number>& to) {
  to.insert(to.end(), from, from + count);
}

void appendTips(const std::vector<Chain>& chains, std::vector<double>& floats) {
  for (const Chain& chain : chains) {
    appendPose(chain.tipInLastJoint(), floats);
  }
}

}  // namespace

PackedChain packedTree(const std::vector<Chain>& chains, const tracking::SharedVariables& shared,
                       const Vector& step_units, double length, const Tolerance& tolerance) {
  const tracking::TrackedModel model(chains, shared, step_units.data());
  const GoalTree& tree = model.tree();
  const std::int64_t m = tree.num_joints;
  const std::int64_t n = tree.num_variables;
  const std::int64_t g = tree.num_goals;
  const std::int64_t path_size = tree.path_end[g - 1];

  PackedChain packed;
  packed.options = solverOptions(tolerance, length);
  // Errors of several goals add up; damping goes by their mean.
  packed.options.damping /= static_cast<double>(g);
  std::vector<double>& floats = packed.floats;
  appendOptions(packed.options, floats);
  floats.insert(floats.end(), {tolerance.position, tolerance.orientation});
  append(tree.origins, kPoseNumbers * m, floats);
  append(tree.multiplier, m, floats);
  append(tree.offset, m, floats);
  append(tree.scale, n, floats);
  append(tree.tip, kPoseNumbers * g, floats);
  append(tree.reference, kPoseNumbers * g, floats);
  appendVerifierJoints(chains, floats);
  appendTips(chains, floats);
  for (std::int64_t k = 0; k < g; ++k) {
    appendPose(Eigen::Isometry3d::Identity(), floats);  // references: the base
  }

  std::vector<std::int64_t>& ints = packed.ints;
  ints = {m, n, g, path_size};
  append(tree.prismatic, m, ints);
  append(tree.variable, m, ints);
  append(tree.begin, m, ints);
  append(tree.slot, m, ints);
  append(tree.tip_slot, g, ints);
  append(tree.reference_slot, g, ints);
  append(tree.path, 3 * path_size, ints);
  append(tree.path_end, g, ints);
  append(tree.column, g * n, ints);
  append(tree.coupled, g * g, ints);
  return packed;
}

PackedChain withRegions(const PackedChain& tree, const regions::PackedRegions& regions) {
  PackedChain packed = {{}, {}, tree.options};
  packed.floats.reserve(tree.floats.size() + regions.solver.size() + regions.checks.size());
  for (const std::vector<double>* part : {&tree.floats, &regions.solver, &regions.checks}) {
    packed.floats.insert(packed.floats.end(), part->begin(), part->end());
  }
  const std::int64_t num_variables = tree.ints[1];
  packed.ints.reserve(tree.ints.size() + 2 + regions.bounded.size());
  packed.ints = tree.ints;
  packed.ints.insert(packed.ints.end(), {num_variables > regions.held ? 1 : 0, regions.count()});
  packed.ints.insert(packed.ints.end(), regions.bounded.begin(), regions.bounded.end());
  return packed;
}

}  // namespace generative_ik

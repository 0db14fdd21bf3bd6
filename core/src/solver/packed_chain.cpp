#include "packed_chain.hpp"

#include <algorithm>
#include <cmath>

#include "../simd/constants.hpp"

namespace generative_ik {
namespace {

// Seeds are iterated a little further than tolerances ask for, which covers rounding.
constexpr double kMargin = 1.0 - 1e-3;
// Larger tolerances than this say nothing [m].
constexpr double kLargest = 1e9;
constexpr std::int64_t kMatrixNumbers = 16;

template <class Number>
void appendPart(const Number* from, std::int64_t count, std::vector<Number>& to) {
  to.insert(to.end(), from, from + count);
}

void appendOptions(const LaneOptions& options, std::vector<double>& numbers) {
  const std::array<double, kOptionNumbers> parameters = optionNumbers(options);
  numbers.insert(numbers.end(), parameters.begin(), parameters.end());
}

}  // namespace

int countConstraints(const Tolerance& tolerance) {
  return (std::isinf(tolerance.position) ? 0 : 3) + (std::isinf(tolerance.orientation) ? 0 : 3);
}

LaneOptions solverOptions(const Tolerance& tolerance, double length, std::int64_t num_goals) {
  LaneOptions options{};
  options.position_weight = std::isinf(tolerance.position) ? 0.0 : 1.0 / length;
  options.orientation_weight = std::isinf(tolerance.orientation) ? 0.0 : 1.0;
  options.position_tolerance = kMargin * std::min(tolerance.position, kLargest);
  options.orientation_tolerance =
      kMargin * 2.0 * std::sin(0.5 * std::min(tolerance.orientation, kPi));
  options.max_iterations = 40;
  // Errors of several goals add up; damping goes by their mean.
  options.damping = 0.03 / static_cast<double>(num_goals);
  options.max_step = 10.0;
  options.stall_window = 4;
  options.stall_ratio = 0.3;
  return options;
}

PackedChain packed(const Chain& chain, const Tolerance& tolerance) {
  return packed(
      JointTree(chain), solverOptions(tolerance, chain.characteristicLength()),
      {tolerance, chain.reach() + tolerance.position, chain.size() > countConstraints(tolerance)});
}

PackedChain packed(const JointTree& joints, const LaneOptions& options,
                   const ChainDemands& demands) {
  const LaneChain chain = joints.chain();
  const std::int64_t m = chain.num_joints;
  PackedChain packed;
  packed.options = options;
  std::vector<double>& floats = packed.floats;
  appendPart(chain.origins, kPoseNumbers * m, floats);
  appendPart(chain.multiplier, m, floats);
  appendPart(chain.offset, m, floats);
  appendPart(chain.tip, kPoseNumbers, floats);
  appendPart(chain.scale, chain.num_variables, floats);
  appendPart(joints.rodrigues().data(), std::ssize(joints.rodrigues()), floats);
  appendPart(joints.chainVerifier().tip, kMatrixNumbers, floats);
  appendOptions(options, floats);
  floats.insert(floats.end(), {demands.tolerance.position, demands.tolerance.orientation,
                               demands.reach, demands.redundant ? 1.0 : 0.0});
  packed.ints = {m, chain.num_variables};
  appendPart(chain.prismatic, m, packed.ints);
  appendPart(chain.variable, m, packed.ints);
  return packed;
}

PackedChain packedGoals(const JointTree& joints, const LaneOptions& options,
                        const Tolerance& tolerance, const GoalDemands& demands) {
  const GoalTree tree = joints.goals();
  const verify::RodriguesTree verifier = joints.verifier();
  const std::int64_t m = tree.num_joints;
  const std::int64_t n = tree.num_variables;
  const std::int64_t g = tree.num_goals;
  const std::int64_t path_size = tree.path_end[g - 1];

  PackedChain packed;
  packed.options = options;
  std::vector<double>& floats = packed.floats;
  appendOptions(options, floats);
  floats.insert(floats.end(), {tolerance.position, tolerance.orientation});
  appendPart(tree.origins, kPoseNumbers * m, floats);
  appendPart(tree.multiplier, m, floats);
  appendPart(tree.offset, m, floats);
  appendPart(tree.scale, n, floats);
  appendPart(tree.tip, kPoseNumbers * g, floats);
  appendPart(tree.reference, kPoseNumbers * g, floats);
  appendPart(joints.rodrigues().data(), std::ssize(joints.rodrigues()), floats);
  appendPart(verifier.tip, kMatrixNumbers * g, floats);
  appendPart(verifier.reference, kMatrixNumbers * g, floats);
  appendPart(demands.regions.data(), std::ssize(demands.regions), floats);
  appendPart(demands.checks.data(), std::ssize(demands.checks), floats);

  std::vector<std::int64_t>& ints = packed.ints;
  ints = {m, n, g, path_size};
  appendPart(tree.prismatic, m, ints);
  appendPart(tree.variable, m, ints);
  appendPart(tree.begin, m, ints);
  appendPart(tree.slot, m, ints);
  appendPart(tree.tip_slot, g, ints);
  appendPart(tree.reference_slot, g, ints);
  appendPart(tree.path, 3 * path_size, ints);
  appendPart(tree.path_end, g, ints);
  appendPart(tree.column, g * n, ints);
  appendPart(tree.coupled, g * g, ints);
  ints.insert(ints.end(),
              {demands.redundant ? 1 : 0, std::ssize(demands.regions) / (g * RegionRow::kSize)});
  appendPart(demands.bounded.data(), std::ssize(demands.bounded), ints);
  return packed;
}

}  // namespace generative_ik

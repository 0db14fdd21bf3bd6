#include "lane_jacobian.hpp"

#include <algorithm>

#include "../local_solver/damped_step.hpp"
#include "../local_solver/goals/goal_step.hpp"

namespace generative_ik::optimize {
namespace {

constexpr int kDirections = 6;

// Both position and orientation count, in metres and radians.
LaneOptions unweighted(LaneOptions options) {
  options.position_weight = options.orientation_weight = 1.0;
  return options;
}

// Copies a lane's column of six numbers.
void copyColumn(const LaneRow* column, int lane, std::int64_t size, double* jacobian) {
  for (int k = 0; k < kDirections; ++k) {
    jacobian[k * size] = column[k].lane[lane];
  }
}

std::int64_t lanesFor(std::int64_t rows) {
  // One more, for rows begin at multiples of their own size.
  return (rows + 1) * kLanes;
}

}  // namespace

ChainSpace::ChainSpace(const Packed& packed, const double* poses, const double* ones,
                       double* memory)
    : chain_(unpackChain(packed.floats, packed.ints)),
      in_own_units_(chain_),
      lanes_(
          rowsIn(alignedRows(memory, memoryOf(packed)), chain_.num_joints, chain_.num_variables)),
      problem_(packed, poses, alignedRows(memory, memoryOf(packed))) {
  in_own_units_.scale = ones;
}

std::int64_t ChainSpace::memoryOf(const Packed& packed) {
  const LaneChain chain = unpackChain(packed.floats, packed.ints);
  return lanesFor(countRows(chain.num_joints, chain.num_variables));
}

void ChainSpace::writeConstraints(int lane, double* jacobian) const {
  write(chain_, problem_.options(), lane, jacobian);
}

void ChainSpace::writeVelocities(int lane, double* jacobian) const {
  write(in_own_units_, unweighted(problem_.options()), lane, jacobian);
}

void ChainSpace::write(const LaneChain& chain, const LaneOptions& options, int lane,
                       double* jacobian) const {
  DampedStep<double>(chain, lanes_, lane).writeJacobian(options);
  for (std::int64_t v = 0; v < chain.num_variables; ++v) {
    copyColumn(lanes_.jacobian + kDirections * v, lane, chain.num_variables, jacobian + v);
  }
}

GoalSpace::GoalSpace(const search::GoalNumbers& numbers, const double* held, const double* poses,
                     const double* ones, double* memory)
    : tree_(numbers.tree),
      in_own_units_(numbers.tree),
      exact_(static_cast<std::size_t>(numbers.tree.num_goals)),
      lanes_(goalRowsIn(alignedRows(memory, memoryOf(numbers)), numbers.tree)),
      problem_(numbers, poses, alignedRows(memory, memoryOf(numbers))),
      held_({numbers.tree, numbers.options, held, numbers.checks.count}, poses,
            alignedRows(memory, memoryOf(numbers))) {
  in_own_units_.scale = ones;
  in_own_units_.bounded = exact_.data();
}

std::int64_t GoalSpace::memoryOf(const search::GoalNumbers& numbers) {
  return lanesFor(search::GoalProblem::countRows(numbers));
}

void GoalSpace::writeConstraints(int lane, double* jacobian) const {
  write(tree_, problem_.options(), lane, jacobian);
}

void GoalSpace::writeVelocities(int lane, double* jacobian) const {
  write(in_own_units_, unweighted(problem_.options()), lane, jacobian);
}

void GoalSpace::write(const GoalTree& tree, const LaneOptions& options, int lane,
                      double* jacobian) const {
  GoalStep<double>(tree, options, nullptr, nullptr, lanes_, lane).writeJacobian();
  const std::int64_t size = tree.num_variables;
  std::fill_n(jacobian, rows() * size, 0.0);
  for (std::int64_t g = 0; g < tree.num_goals; ++g) {
    for (std::int64_t v = 0; v < size; ++v) {
      const std::int64_t column = tree.column[g * size + v];
      if (column >= 0) {
        copyColumn(lanes_.jacobian + kDirections * column, lane, size,
                   jacobian + kDirections * g * size + v);
      }
    }
  }
}

}  // namespace generative_ik::optimize

/// A thread's part of a search: where a descent has ended, made exact in double precision, brought
/// inside the limits, and verified by independent forward kinematics.
#pragma once

#include "../src/select/turn.hpp"
#include "descend.hpp"

namespace generative_ik::cuda {

/// Whether others of the slot come before this one that are enough by all odds.
GENERATIVE_IK_DEVICE inline bool isSpare(const SearchTask& task, std::int64_t slot,
                                         std::int64_t thread) {
  constexpr int kEnough = 2;
  if (task.targets.wanted > 1 || task.problem.world.bodies != nullptr) {
    return false;
  }
  int before = 0;
  for (std::int64_t k = slot * task.round.seeds; k < thread && before < kEnough; ++k) {
    before += task.round.converged[k];
  }
  return before >= kEnough;
}

/// Turns circular joints towards the reference; says whether all are inside the limits.
GENERATIVE_IK_DEVICE inline bool turnInside(const SearchProblem& problem, double* q) {
  for (std::int64_t v = 0; v < problem.chain.num_variables; ++v) {
    if (problem.circular[v] != 0) {
      q[v] = turnTowards(q[v], problem.reference[v], problem.lower[v], problem.upper[v]);
    }
    if (!(problem.lower[v] <= q[v] && q[v] <= problem.upper[v])) {
      return false;
    }
  }
  return true;
}

/// Whether verified errors are within the tolerances; those of what is no pose are NaN, and are
/// not.
GENERATIVE_IK_DEVICE inline bool isExact(const SearchProblem& problem,
                                         const verify::PoseGap& gap) {
  return gap.distance <= problem.position_tolerance && gap.angle <= problem.orientation_tolerance;
}

/// The kernel: thread `slot * seeds + seed`.
template <int kJoints>
GENERATIVE_IK_DEVICE inline void makeExact(const SearchTask& task, std::int64_t thread) {
  using Layout = InThread<double, kJoints>;
  const SearchProblem& problem = task.problem;
  const SearchRound& round = task.round;
  const std::int64_t slot = thread / round.seeds;
  const std::int64_t target = round.slots[slot];
  round.verified[thread] = 0;
  if (round.converged[thread] == 0 || isSpare(task, slot, thread)) {
    return;
  }
  const double* pose = task.targets.poses + 16 * target;
  const std::int64_t threads = static_cast<std::int64_t>(round.num_slots) * round.seeds;
  ThreadMemory<double, kJoints> memory(problem.options.damping);
  const StepRows<double> rows = memory.rows();
  poseNumbers(pose, rows.target);
  simd::forEach(Layout::variables(problem.chain), [&](auto v) {
    rows.seeds.q[v] = simd::clamp(static_cast<double>(round.descended[threads * v + thread]),
                                  problem.step_lower[v], problem.step_upper[v]);
  });
  const DampedStep<double, Layout> step(problem.chain, rows, 0);
  if (!descendFrom(step, problem.options, rows.seeds, problem.step_lower, problem.step_upper)) {
    return;
  }
  double* q = round.exact + problem.chain.num_variables * thread;
  simd::forEach(Layout::variables(problem.chain), [&](auto v) { q[v] = rows.seeds.q[v]; });
  if (!turnInside(problem, q)) {
    return;
  }
  const verify::PoseGap gap = verify::gapOf(problem.read, q, pose);
  round.gaps[2 * thread] = gap.distance;
  round.gaps[2 * thread + 1] = gap.angle;
  round.verified[thread] = isExact(problem, gap) ? 1 : 0;
}

}  // namespace generative_ik::cuda

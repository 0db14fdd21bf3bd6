/// A thread's part of a call that a closed form answers: the branches of a pose, in double
/// precision, each verified by independent forward kinematics.
#pragma once

#include "../src/closed_form/spherical_wrist.hpp"
#include "../src/closed_form/three_parallel.hpp"
#include "collect.hpp"
#include "make_exact.hpp"

namespace generative_ik::cuda {

/// Turns a branch's joints into the limits, circular ones towards the reference; says whether all
/// are inside. A branch has each joint in some turn, whichever that is.
GENERATIVE_IK_DEVICE inline bool turnBranchInside(const SearchProblem& problem, double* q) {
  for (int v = 0; v < closed_form::kJoints; ++v) {
    const double lower = problem.lower[v];
    const double upper = problem.upper[v];
    if (problem.chain.prismatic[v] == 0 && !(lower <= q[v] && q[v] <= upper)) {
      q[v] = turnTowards(q[v], problem.reference[v], lower, upper);
      if (q[v] == lower || q[v] == upper) {
        return false;  // no turn of it is inside
      }
    }
  }
  return turnInside(problem, q);
}

/// The kernel: thread `target`. Writes as many branches as are wanted, and there are, of those
/// inside the limits. What a closed form does not prove to be all, and a branch that is not exact,
/// is left to others.
template <std::int64_t (*kFamily)(const double*, const double*, double*)>
GENERATIVE_IK_DEVICE inline void answer(const SearchTask& task, std::int64_t thread) {
  const SearchProblem& problem = task.problem;
  const SearchTargets& targets = task.targets;
  constexpr int kSize = closed_form::kJoints;
  double branches[kSize * closed_form::kBranches];  // NOLINT(*-avoid-c-arrays,*-member-init)
  const double* pose = targets.poses + 16 * thread;
  const std::int64_t found = kFamily(problem.family, pose, branches);
  const std::int64_t count = found < 0 ? -1 - found : found;
  double* rows = targets.positions + kSize * targets.wanted * thread;
  double* gaps = targets.errors + 2 * targets.wanted * thread;
  std::int32_t kept = 0;
  for (std::int64_t k = 0; k < count && kept < targets.wanted; ++k) {
    double* q = branches + kSize * k;
    if (!turnBranchInside(problem, q)) {
      continue;
    }
    const verify::PoseGap gap = verify::gapOf(problem.read, q, pose);
    if (!isExact(problem, gap) || isKnown(problem, rows, kept, q)) {
      continue;
    }
    for (int v = 0; v < kSize; ++v) {
      rows[kSize * kept + v] = q[v];
    }
    gaps[2 * kept] = gap.distance;
    gaps[2 * kept + 1] = gap.angle;
    ++kept;
  }
  targets.counts[thread] = kept;
}

}  // namespace generative_ik::cuda

/// A thread's part of a call that a closed form answers: the branches of a pose, in double
/// precision, each verified by independent forward kinematics.
#pragma once

#include "../src/closed_form/spherical_wrist.hpp"
#include "../src/closed_form/three_parallel.hpp"
#include "collect.hpp"
#include "make_exact.hpp"

namespace generative_ik::cuda {

/// The kernel: thread `target`. Writes as many branches as are wanted, and there are, of those
/// inside the limits. What a closed form does not prove to be all, and a branch that is not exact,
/// is left to others: then these are not all.
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
  bool all = found >= 0;
  std::int64_t k = 0;
  for (; k < count && kept < targets.wanted; ++k) {
    double* q = branches + kSize * k;
    if (!turnInside(problem, q)) {
      continue;
    }
    const verify::PoseGap gap = verify::gapOf(problem.read, q, pose);
    const bool exact = isExact(problem, gap);
    all = all && exact;
    if (!exact || isKnown(problem, rows, kept, q)) {
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
  targets.all[thread] = all && k == count ? 1 : 0;
}

}  // namespace generative_ik::cuda

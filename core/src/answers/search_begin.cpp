#include "search_begin.hpp"

#include <algorithm>
#include <numeric>

#include "../search/first_solutions.hpp"

namespace generative_ik::answers {
namespace {

// How often solutions on curves are looked for if too many collide, and how many times as many at
// most.
constexpr int kRounds = 2;
constexpr double kMostMore = 4.0;
// For each solution that is free, so many times as many are looked for as they seem to need.
constexpr double kSpare = 1.5;

/// Looks for solutions of target t until enough are free.
void beginWithCurves(const CurveProblem& problem, const double* tip_pose,
                     search::FirstSolutions& kept, std::int64_t t, const CurvesWanted& wanted,
                     int room, CurveMemory& memory) {
  search::Target& target = kept.target(t);
  std::int64_t looked_for = wanted.solutions;
  for (int round = 0; round < kRounds; ++round) {
    const OnCurves found = findOnCurves(problem, tip_pose, looked_for, room, memory);
    if (found.count == 0) {
      return;
    }
    if (wanted.keep_all) {
      memory.ranks.resize(static_cast<std::size_t>(found.count));
      std::iota(memory.ranks.begin(), memory.ranks.end(), 0);
    } else {
      rankOnCurves(problem, found.count, found.count, memory);
    }
    for (const std::int64_t rank : memory.ranks) {
      if (!wanted.keep_all && target.free >= wanted.enough) {
        break;
      }
      kept.keep(t, memory.rows.data() + rank * kCurveJoints);
    }
    const bool all = found.settled && found.count < looked_for;
    target.closed = target.free >= wanted.enough || (all && target.usable > 0);
    if (target.closed || !found.settled) {
      return;
    }
    // The more collide, the more are looked at.
    const double share = static_cast<double>(std::max<std::int64_t>(target.free, 1)) /
                         static_cast<double>(found.count);
    looked_for = static_cast<std::int64_t>(std::min(kMostMore, kSpare / share) *
                                           static_cast<double>(wanted.solutions));
  }
}

}  // namespace

void beginWithBranches(const BranchProblem& problem, const SearchTargets& targets,
                       std::int64_t enough) {
  search::FirstSolutions kept(problem.chain.packed(), targets.tip_poses, targets.arrays);
  BranchRows rows{};
  RowMemory memory;
  for (std::int64_t t = targets.first; t < targets.last; ++t) {
    search::Target& target = kept.target(t);
    if (target.closed) {
      continue;
    }
    const Gathered found = gatherBranches(problem, targets.tip_poses + 16 * t, rows, memory);
    for (int k = 0; k < found.count; ++k) {
      kept.keep(t, rows.q[k]);
    }
    target.complete = found.complete;
    target.closed = found.complete || target.free >= enough;
  }
}

void beginWithCurves(const CurveProblem& problem, const SearchTargets& targets,
                     const CurvesWanted& wanted, CurveMemory& memory) {
  search::FirstSolutions kept(problem.chain.packed(), targets.tip_poses, targets.arrays);
  CurvesWanted some = wanted;
  some.solutions = std::max(wanted.solutions, kChoiceOnCurves);
  const int room = roomOnCurves(static_cast<std::int64_t>(kMostMore) * some.solutions);
  for (std::int64_t t = targets.first; t < targets.last; ++t) {
    // Closed targets take no more.
    if (!kept.target(t).closed) {
      beginWithCurves(problem, targets.tip_poses + 16 * t, kept, t, some, room, memory);
    }
  }
}

}  // namespace generative_ik::answers

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

/// Has threads begin with so many targets at a time.
template <class Begin>
void inPieces(const SearchTargets& targets, std::int64_t size, const parallel::StopWhen& stop,
              const Begin& begin) {
  const auto begin_piece = [&](std::int64_t piece) {
    // A check has memory for one thread.
    const CollisionCheck check =
        targets.arrays.check != nullptr ? *targets.arrays.check : CollisionCheck();
    SearchTargets some = targets;
    some.arrays.check = &check;
    some.first = targets.first + piece * size;
    some.last = std::min(some.first + size, targets.last);
    begin(some);
  };
  parallel::forEach((targets.last - targets.first + size - 1) / size, begin_piece, stop);
}

}  // namespace

void beginWithBranches(const BranchProblem& problem, const SearchTargets& targets,
                       std::int64_t enough, const parallel::StopWhen& stop) {
  constexpr std::int64_t kTargetsAtATime = 64;
  inPieces(targets, kTargetsAtATime, stop, [&](const SearchTargets& some) {
    search::FirstSolutions kept(problem.chain.packed(), some.tip_poses, some.arrays);
    BranchRows rows{};
    RowMemory memory;
    for (std::int64_t t = some.first; t < some.last; ++t) {
      search::Target& target = kept.target(t);
      if (target.closed) {
        continue;
      }
      const Gathered found = gatherBranches(problem, some.tip_poses + kOfPose * t, rows, memory);
      for (int k = 0; k < found.count; ++k) {
        kept.keep(t, rows.q[k]);
      }
      target.complete = found.complete;
      target.closed = found.complete || target.free >= enough;
    }
  });
}

void beginWithCurves(const CurveProblem& problem, const SearchTargets& targets,
                     const CurvesWanted& wanted, const parallel::StopWhen& stop) {
  constexpr std::int64_t kTargetsAtATime = 2;
  CurvesWanted more = wanted;
  more.solutions = std::max(wanted.solutions, kChoiceOnCurves);
  const int room = roomOnCurves(static_cast<std::int64_t>(kMostMore) * more.solutions);
  inPieces(targets, kTargetsAtATime, stop, [&](const SearchTargets& some) {
    search::FirstSolutions kept(problem.chain.packed(), some.tip_poses, some.arrays);
    for (std::int64_t t = some.first; t < some.last; ++t) {
      // Closed targets take no more.
      if (!kept.target(t).closed) {
        beginWithCurves(problem, some.tip_poses + kOfPose * t, kept, t, more, room, curveMemory());
      }
    }
  });
}

}  // namespace generative_ik::answers

/// A seed in a lane: it begins, is iterated, and ends.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>

#include "keeping.hpp"
#include "null_space.hpp"
#include "restarts.hpp"
#include "stopping_policy.hpp"
#include "towards_seed.hpp"
#include "trace.hpp"

namespace generative_ik::search {

/// The target that a free lane works for next, or -1. A lane works for one target as long as there
/// are targets without a lane; after that it helps the lanes beside it with theirs.
std::int64_t nextTarget(const SearchArrays& search, int lane);

/// The pose that target t's latest seed, of a lane, is for; restarts take the poses of a goal set
/// in turns.
std::int64_t poseFor(const SearchArrays& search, const Lane& lane, std::int64_t t, SeedKind kind);

/// Keeps `q`, which the seed of a lane has led to, as far as it is of use, and counts it;
/// `checked` is the verdict on it, if that is known.
template <LocalProblem Problem>
void keepOutcome(const SearchState<Problem>& search, const Lane& lane, double error,
                 bool converged, std::optional<Verdict> checked) {
  const Pool& pool = search.pool;
  const std::int64_t t = lane.target;
  Target& target = search.targets[t];
  const bool inside = converged && turnInside(search);
  bool is_new = false;
  if (lane.kind == SeedKind::kTowardsSeedState) {
    if (inside) {
      keepNearest(search, t, lane.pose);
    }
  } else if (converged) {
    const bool traced = Problem::kTraces && search.criteria.traced;
    const std::int64_t before = pool.counts[t];
    const std::int64_t usable = target.usable;
    const bool away = inside && leadsAway(search, traced, t, lane.kind);
    // Near what is known, the first of those wanted and what shows a direction are kept.
    const bool lacking = target.usable < search.criteria.wanted;
    const bool shows = lane.kind == SeedKind::kNullSpace && lane.base < 0;
    const bool kept =
        inside && (away || lacking || shows) && keepSolution(search, t, lane.pose, checked);
    const std::int64_t place = pool.counts[t] > before ? before : -1;
    if (place >= 0 && search.criteria.min_restarts > 0) {
      target.near = target.near || isNear(search, t, place);
    }
    queueTrace(search, traced, t, {lane.kind, lane.base, place, away});
    // Where all collide, and there is no room for more, restarts decide: steps would never end.
    const bool tells = lane.kind != SeedKind::kNullSpace || place >= 0 || target.usable > usable;
    is_new = kept && tells && (away || lacking);
  } else if (pool.counts[t] == 0) {
    keepClosest(search, t, error);
  }
  countSeed(target, search.criteria, pool.counts[t], lane.kind, converged, is_new);
  if (lane.kind == SeedKind::kTowardsSeedState && target.closed) {
    settleNearest(search, t);
  }
}

/// Whether a solution that a lane's seed has led to would be pushed out of a collision: as long as
/// none is known that does not collide.
template <LocalProblem Problem>
bool mayBePushed(const SearchState<Problem>& search, const Lane& lane) {
  return search.push != nullptr && *search.push && search.criteria.redundant &&
         search.problem.freedom() >= kPushOptions.freedom &&
         lane.kind != SeedKind::kTowardsSeedState && lane.pushes < kPushOptions.most &&
         search.targets[lane.target].usable == 0;
}

/// Pushes the solution `q` of a lane's seed, which collides, out of the collision; says whether
/// the seed goes on from there.
template <LocalProblem Problem>
bool goesOnOutside(const SearchState<Problem>& search, int index) {
  const double* outside = (*search.push)(search.q);
  if (outside == nullptr) {
    return false;
  }
  Lane& lane = search.lanes[index];
  const SeedRows& rows = search.problem.rows();
  for (std::int64_t v = 0; v < search.box.size; ++v) {
    rows.q[v].lane[index] =
        std::clamp(outside[v], search.box.soft_lower[v], search.box.soft_upper[v]);
  }
  // Where nothing is free, it is known that the target is reached in collision.
  if (search.pool.counts[lane.target] == 0 && turnInside(search)) {
    keepSolution(search, lane.target, lane.pose, Verdict::kColliding);
  }
  // The errors at hand are those of where it was.
  rows.moving->lane[index] = 0.0;
  search.targets[lane.target].iterations += lane.iterations;
  lane.iterations = 0;
  lane.past_error = std::numeric_limits<double>::infinity();
  ++lane.pushes;
  return true;
}

/// Checks the seed in a lane after an iteration; if it has ended, keeps what it led to. Says
/// whether it has ended.
template <LocalProblem Problem>
bool seedEnds(const SearchState<Problem>& search, int index) {
  const Problem& problem = search.problem;
  const LaneOptions& options = problem.options();
  const SeedRows& rows = problem.rows();
  Lane& lane = search.lanes[index];
  Target& target = search.targets[lane.target];
  const bool converged = problem.converges(index, search.box.soft_lower, search.box.soft_upper);
  const double position = rows.position_error->lane[index];
  const double chord = rows.orientation_error->lane[index];
  double error = problem.laneError(index, position, chord);
  ++lane.iterations;
  bool stalled = false;
  if (lane.iterations % options.stall_window == 0) {
    stalled = error > options.stall_ratio * lane.past_error;
    lane.past_error = error;
  }
  const bool failed = lane.iterations >= options.max_iterations ||
                      !(error < std::numeric_limits<double>::infinity());
  if (!(converged || stalled || failed || target.closed)) {
    return false;
  }
  std::optional<Verdict> checked;
  if (!target.closed) {
    for (std::int64_t v = 0; v < search.box.size; ++v) {
      search.q[v] = rows.q[v].lane[index];
    }
    if (converged && mayBePushed(search, lane)) {
      checked = verdictOf(search.check, search.q);
      if (*checked == Verdict::kColliding && goesOnOutside(search, index)) {
        return false;
      }
    }
    if (!converged) {
      error = problem.closeness(position, chord, error);
    }
    keepOutcome(search, lane, error, converged, checked);
  }
  target.iterations += lane.iterations;
  return true;
}

/// Whether restarts that come to nothing cost more than some that would are worth.
template <LocalProblem Problem>
bool givesUpSoon(const SearchState<Problem>& search, std::int64_t t) {
  // Errors of several tips, or of other regions, are another matter.
  if constexpr (Problem::kTraces) {
    return search.criteria.traced && search.pool.counts[t] > 0;
  } else {
    return isHard(search, t);
  }
}

/// Chooses the target of a lane's next seed, and the seed's kind, of those below 0 if it gets
/// none.
template <LocalProblem Problem>
SeedKind chooseTarget(const SearchState<Problem>& search, int index, std::int64_t& t) {
  SeedKind kind = SeedKind::kNoneLeft;
  while (kind == SeedKind::kNoneLeft) {
    t = nextTarget(search, index);
    if (t < 0) {
      return SeedKind::kNoneLeft;
    }
    Target& target = search.targets[t];
    const std::int64_t given =
        std::max(search.seeds.before + search.seeds.count, seedsAround(*search.run));
    kind = chooseSeed(target, search.criteria, search.pool.counts[t], given, search.seeds.endless);
    target.needs_seeds = kind == SeedKind::kNoneLeft;
  }
  return kind;
}

/// Gives a free lane its next seed; says whether there was one.
template <LocalProblem Problem>
bool seedBegins(const SearchState<Problem>& search, int index) {
  // Squared error of which no more than the share `stall_ratio` may be left at the first look at
  // its progress; else the seed is given up, as nine of ten that come to a solution are not.
  constexpr double kHopeful = 4.0;
  const SeedRows& rows = search.problem.rows();
  // The errors at hand are the last seed's: the new one must not move by them.
  rows.moving->lane[index] = 0.0;
  std::int64_t t = -1;
  const SeedKind kind = chooseTarget(search, index, t);
  Lane& lane = search.lanes[index];
  switch (kind) {
    case SeedKind::kRestart:
      writeRestart(search, search.criteria.traced, t);
      break;
    case SeedKind::kNullSpace:
      lane.base = nextStep(search, t);
      break;
    case SeedKind::kTowardsSeedState:
      seedBetween(search, t);
      break;
    case SeedKind::kNoneLeft:
    case SeedKind::kNoneNeeded:
      return false;
  }
  for (std::int64_t v = 0; v < search.box.size; ++v) {
    rows.q[v].lane[index] = search.q[v];
  }
  lane.pose = poseFor(search, lane, t, kind);
  if (lane.loaded != lane.pose) {
    search.problem.load(index, lane.pose);
    lane.loaded = lane.pose;
  }
  lane.target = t;
  lane.kind = kind;
  lane.iterations = lane.pushes = 0;
  const bool soon = kind == SeedKind::kRestart && givesUpSoon(search, t);
  lane.past_error = soon ? kHopeful : std::numeric_limits<double>::infinity();
  return true;
}

}  // namespace generative_ik::search

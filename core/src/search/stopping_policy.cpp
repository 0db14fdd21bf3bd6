#include "stopping_policy.hpp"

#include <algorithm>
#include <cmath>

namespace generative_ik::search {
namespace {

// Random restarts before which a target is not given up, and closest error [rad] below which all
// are made.
constexpr std::int64_t kFewest = 60;
constexpr double kClose = 2e-3;
// Bounds of the number of seeds in one batch.
constexpr std::int64_t kLeast = 16;
constexpr std::int64_t kMost = 1024;
// Solutions of a redundant chain from which on a search does not depend on how many more are
// wanted: what is wanted at most by default, and what is looked for beyond it.
constexpr std::int64_t kMany = kManyWanted + 4;
// Solutions from which the share of new ones is estimated.
constexpr std::int64_t kSample = 64;
// When no larger share of them than this is new, there is nothing left to find.
constexpr double kSaturated = 0.02;
// Seeds of the refinement towards the seed state.
constexpr std::int64_t kTowardsSeed = 24;
// Solutions beyond twice as many as wanted that are found before undecided ones are decided.
constexpr std::int64_t kUndecided = 8;
// Solutions found for each distinct one from which on there is one near every other.
constexpr double kDense = 2.0;
// Seeds for each solution wanted after which curves are traced no further.
constexpr std::int64_t kSeedsOfTraces = 6;
// Seeds per solution of poses, of a redundant chain, and within regions: along curves null-space
// steps spread well, in what is more than curves restarts do.
constexpr double kSeedsAtPose = 3.5;
constexpr double kSeedsRedundant = 2.0;
constexpr double kSeedsOnCurves = 1.5;
constexpr double kSeedsOnSurfaces = 2.5;
// New solutions per null-space step below which no further round is begun.
constexpr double kWorthwhile = 0.05;

double real(std::int64_t count) {
  return static_cast<double>(count);
}

// Whether rounds of null-space steps are begun as long as they pay.
bool fills(const Target& target, const StoppingCriteria& criteria) {
  return !(criteria.traced && target.usable >= criteria.wanted);
}

// How many restarts are due for as many solutions as there are, if these are many.
std::int64_t restartsDue(const Target& target) {
  if (target.usable <= kMany) {
    return 0;
  }
  const auto wanted = static_cast<std::int64_t>(seedsPerSolution(0, true) * real(target.usable));
  return std::min(wanted, kMost) - target.restarts;
}

// How many solutions to look for next. Where many are wanted that depends on what there is, not on
// how many are wanted: a search for more then goes on from where one for fewer has ended, and
// never finds less.
std::int64_t nextGoal(std::int64_t goal, std::int64_t usable) {
  if (goal <= kMany) {
    return goal;
  }
  std::int64_t stage = kMany;
  while (stage <= usable) {
    stage *= 2;
  }
  return stage;
}

// Where many are wanted, a round that found few is followed by one as long as they come: only when
// that finds few as well are there none left.
bool isThorough(const StoppingCriteria& criteria) {
  return criteria.num_solutions > kMany;
}

bool foundFew(const Target& target) {
  return real(target.round_new) < kWorthwhile * real(target.round_size);
}

void beginRound(Target& target, const StoppingCriteria& criteria) {
  const std::int64_t goal =
      target.usable < criteria.wanted ? criteria.wanted : criteria.num_solutions;
  const std::int64_t missing = nextGoal(goal, target.usable) - target.usable;
  const bool longest = isThorough(criteria) && foundFew(target);
  target.round_size = longest ? kMost : boundedBatch(1.5 * real(missing) + real(kLeast));
  target.round_left = target.round_size - 1;
  target.round_ended = target.round_new = 0;
  ++target.null_space_seeds;
}

// Whether a target without a solution is out of reach, as far as restarts can tell.
bool isHopeless(const Target& target, const StoppingCriteria& criteria) {
  const std::int64_t ended = target.restarts_ended - criteria.min_restarts;
  if (criteria.most_restarts < kFewest) {
    return ended >= criteria.most_restarts;
  }
  if (ended < kFewest || criteria.persistence == 0.0) {
    return target.restarts_ended >= kGiveUp;
  }
  const double error = std::sqrt(target.closest_error);
  const std::int64_t most = error < kClose ? kGiveUp : std::min(criteria.most_restarts, kGiveUp);
  return real(ended) * error >= criteria.persistence || ended >= most;
}

// Whether restarts come to nothing: solutions are known, but of more than two thousand restarts
// not even one converges, as beside a singularity. The share of new ones would never be known.
bool isFruitless(const Target& target) {
  return target.restarts_ended >= kGiveUp * (target.restarts_converged + 1);
}

// Whether all curves are traced, or else whether half of what was found was known.
bool isFull(const Target& target, const StoppingCriteria& criteria, std::int64_t count) {
  if (criteria.traced) {
    const bool over = target.traced_all && target.queue_begin == target.queue_end;
    const std::int64_t begun = target.restarts_ended + target.null_space_seeds;
    return over || begun >= kSeedsOfTraces * criteria.wanted;
  }
  return kDense * real(count) <= real(target.restarts_converged + target.null_space_converged);
}

void countNullSpaceStep(Target& target, const StoppingCriteria& criteria, bool converged,
                        bool found_new) {
  ++target.round_ended;
  target.round_new += found_new ? 1 : 0;
  target.null_space_converged += converged ? 1 : 0;
  if (target.round_ended == target.round_size) {
    target.null_space_pays =
        !foundFew(target) || (isThorough(criteria) && target.round_size < kMost);
  }
}

void countRestart(Target& target, const StoppingCriteria& criteria, bool converged,
                  bool found_new) {
  ++target.restarts_ended;
  target.restarts_converged += converged ? 1 : 0;
  // Those about a seed state come to the same few solutions, and tell nothing of the others.
  if (target.restarts_ended > criteria.min_restarts) {
    target.sample += converged ? 1 : 0;
    target.sample_new += found_new ? 1 : 0;
  }
  if (target.sample >= kSample) {
    target.saturated = real(target.sample_new) <= kSaturated * real(target.sample);
    target.sample = target.sample_new = 0;
  }
  // A new solution may belong to a set in which no null-space step was taken.
  if (found_new && criteria.redundant) {
    target.null_space_pays = true;
  }
}

bool isOver(const Target& target, const StoppingCriteria& criteria, std::int64_t count) {
  // No round of steps is begun where curves are traced and there are enough, decided or not.
  const bool filling = fills(target, criteria) &&
                       (target.null_space_pays || target.round_ended < target.round_size);
  const bool exhausted = count > 0 && (target.saturated || isFruitless(target)) && !filling;
  const bool hopeless = count == 0 && isHopeless(target, criteria);
  const auto has = [&](std::int64_t wanted) {
    return hasEnough(target.free, target.usable, wanted);
  };
  const bool enough =
      has(criteria.num_solutions) || (has(criteria.wanted) && isFull(target, criteria, count));
  std::int64_t least = criteria.min_restarts;
  if (least > 0 && !target.near) {
    least = std::max(least, kFar);
  }
  return exhausted || hopeless || (enough && target.restarts_ended >= least);
}

}  // namespace

std::int64_t boundedBatch(double count) {
  // Negated so that NaN is the least as well.
  return !(count > real(kLeast)) ? kLeast
                                 : static_cast<std::int64_t>(std::min(count, real(kMost)));
}

double seedsPerSolution(std::int64_t dimensions, bool redundant) {
  if (dimensions == 0) {
    return redundant ? kSeedsRedundant : kSeedsAtPose;
  }
  return dimensions == 1 ? kSeedsOnCurves : kSeedsOnSurfaces;
}

std::int64_t nextBatch(std::int64_t ended, std::int64_t converged) {
  const double share = real(std::max<std::int64_t>(converged, 1));
  return boundedBatch(0.5 * real(kSample) * real(std::max<std::int64_t>(ended, 1)) / share);
}

bool hasEnough(std::int64_t free, std::int64_t usable, std::int64_t wanted) {
  return free >= wanted || real(usable) >= 2.0 * real(wanted) + real(kUndecided);
}

SeedKind chooseSeed(Target& target, const StoppingCriteria& criteria, std::int64_t count,
                    std::int64_t given, bool endless) {
  if (target.towards_seed) {
    if (target.towards_seed_begun >= kTowardsSeed) {
      return SeedKind::kNoneNeeded;
    }
    ++target.towards_seed_begun;
    return SeedKind::kTowardsSeedState;
  }
  if (criteria.traced && target.queue_begin < target.queue_end) {
    ++target.round_size;
    ++target.null_space_seeds;
    return SeedKind::kNullSpace;
  }
  if (target.round_left > 0) {
    --target.round_left;
    ++target.null_space_seeds;
    return SeedKind::kNullSpace;
  }
  const bool at_hand = endless || target.restarts < given;
  if ((target.restarts_left <= 0 || !at_hand) && target.restarts > 0) {
    const bool pays = fills(target, criteria) && target.null_space_pays && count > 0;
    const std::int64_t due = criteria.traced ? 0 : restartsDue(target);
    if (pays && due <= 0 && target.round_ended == target.round_size) {
      beginRound(target, criteria);
      return SeedKind::kNullSpace;
    }
    target.restarts_left = nextBatch(target.restarts_ended, target.restarts_converged);
    if (pays) {
      target.restarts_left = std::max(target.restarts_left, due);
    }
  }
  if (!at_hand) {
    return SeedKind::kNoneLeft;
  }
  ++target.restarts;
  --target.restarts_left;
  return SeedKind::kRestart;
}

void countSeed(Target& target, const StoppingCriteria& criteria, std::int64_t count, SeedKind kind,
               bool converged, bool found_new) {
  if (kind == SeedKind::kTowardsSeedState) {
    ++target.towards_seed_ended;
    target.closed = target.towards_seed_ended >= kTowardsSeed;
    return;
  }
  if (kind == SeedKind::kNullSpace) {
    countNullSpaceStep(target, criteria, converged, found_new);
  } else {
    countRestart(target, criteria, converged, found_new);
  }
  if (isOver(target, criteria, count)) {
    if (target.usable > 0 && criteria.min_restarts > 0 && criteria.redundant) {
      target.towards_seed = true;
    } else {
      target.closed = true;
    }
  }
}

void reopen(Target& target) {
  target.closed = target.towards_seed = target.moved = false;
  target.towards_seed_begun = target.towards_seed_ended = 0;
  // Null-space steps that were under way when it was closed never end.
  target.round_size = target.round_ended + target.round_left;
}

void forgetSaturation(Target& target, bool redundant) {
  target.saturated = false;
  target.sample = target.sample_new = 0;
  target.null_space_pays = redundant;
}

}  // namespace generative_ik::search

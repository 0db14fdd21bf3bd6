#include "budget.hpp"

#include <algorithm>

namespace generative_ik::search {
namespace {

// Most solutions that are looked for at a pose beyond those wanted, and fewer and fewer up to that
// many, as the last ones of a set take long to find.
constexpr std::int64_t kMostExtra = 16;
constexpr std::int64_t kExtraUpTo = 128;
// The same within a region for each one wanted, at most so many. Where solutions form curves:
// found at random, they are thick in some places; mostly fewer are found, see trace.hpp. Where
// they form more. And if single poses leave the arm redundant, too.
constexpr double kExtraOnCurves = 2.0;
constexpr double kExtraOnSurfaces = 1.5;
constexpr double kExtraRedundant = 1.0;
constexpr double kMostExtraInRegion = 512.0;
// Solutions that an optimization begins with at least, so that hardly a part of a set is missed,
// and restarts before null-space steps: these stay within their set of solutions, and what is
// missing are other sets.
constexpr std::int64_t kToOptimize = 100;
constexpr std::int64_t kRestartsToOptimize = 128;
// Approximations that are looked for at least: the nearest may be the last one that is found.
constexpr std::int64_t kApproximations = 64;
// Solutions of a target that are kept although they collide: how many numbers they take for all
// targets, between bounds, as memory that is used first costs time; and of one target alone.
constexpr std::int64_t kCollidingNumbers = std::int64_t{1} << 19;
constexpr std::int64_t kLeastColliding = 256;
constexpr std::int64_t kMostColliding = 4096;
constexpr std::int64_t kCollidingAlone = 63;
// Null-space steps at poses; within regions, whose longer sets of solutions shorter steps would
// fill but a part of.
constexpr double kStep = 0.2;
constexpr double kStepOnCurves = 0.5;
constexpr double kStepOnSurfaces = 0.7;
// Closest error that is near, however fine the tolerances [rad].
constexpr double kNearMinimum = 3e-3;
// Coordinates of a pose.
constexpr std::int64_t kPoseCoordinates = 6;

// How many more are looked for, to choose the most diverse. Args: redundant: whether single poses
// leave the arm redundant.
std::int64_t extraSolutions(std::int64_t wanted, std::int64_t dimensions, bool redundant) {
  double in_region = 0.0;
  if (dimensions > 0) {
    const double on_surfaces = redundant ? kExtraRedundant : kExtraOnSurfaces;
    const double each = dimensions == 1 ? kExtraOnCurves : on_surfaces;
    in_region = std::min(each * static_cast<double>(wanted), kMostExtraInRegion);
  }
  const std::int64_t fewer = std::min(kMostExtra, wanted / (kExtraUpTo / kMostExtra));
  return std::max(static_cast<std::int64_t>(in_region), std::min(wanted, kMostExtra - fewer));
}

std::int64_t extraOf(const Aim& aim, std::int64_t wanted) {
  if (aim.optimized && aim.redundant) {
    return std::max(kMostExtra, aim.breadth * kToOptimize - wanted);
  }
  if (aim.scored) {
    return kMostExtra;
  }
  if (wanted <= 1 || aim.around) {
    return 0;
  }
  return extraSolutions(wanted, aim.dimensions,
                        aim.num_variables > kPoseCoordinates * aim.num_tips);
}

std::int64_t collidingOf(const Aim& aim, std::int64_t looked_for) {
  if (!aim.checked) {
    return 0;
  }
  if (aim.alone) {
    return aim.wanted == 1 && !aim.around ? kCollidingAlone : kLeastColliding;
  }
  const std::int64_t room = kCollidingNumbers / std::max<std::int64_t>(aim.num_targets, 1) /
                            std::max<std::int64_t>(aim.num_variables, 1);
  return std::min(std::max({room, looked_for, kLeastColliding}), kMostColliding);
}

std::int64_t firstBatchOf(const Aim& aim, std::int64_t wanted, bool traced) {
  if (aim.first_seeds > 0 && wanted == 1 && !aim.around) {
    return aim.first_seeds;
  }
  const std::optional<double> each = aim.around ? std::nullopt : aim.seeds_per_solution;
  const bool filled = aim.redundant && aim.dimensions == 0 && !aim.around;
  const double usual = traced ? 0.0 : seedsPerSolution(aim.dimensions, aim.redundant);
  const auto seeds =
      each.value_or(usual) * static_cast<double>(filled ? std::min(wanted, kManyWanted) : wanted);
  const bool optimized = aim.optimized && aim.redundant;
  const auto least = static_cast<double>(optimized ? aim.breadth * kRestartsToOptimize : 0);
  return boundedBatch(std::max(seeds, least));
}

double stepOf(std::int64_t dimensions) {
  if (dimensions == 0) {
    return kStep;
  }
  return dimensions == 1 ? kStepOnCurves : kStepOnSurfaces;
}

// A pose whose solutions take many restarts to find is one that others come close to: they end
// beside it at a joint limit, or at a singularity. So a search may end the sooner the further away
// everything has ended (docs/search.md).
Persistence persistenceOf(const Aim& aim) {
  constexpr std::int64_t kFew = 7;
  constexpr std::int64_t kMore = 8;
  if (aim.unmeasured || aim.approximate) {
    return kAllRestarts;
  }
  if (aim.deficient) {
    return {0.0, 24};
  }
  if (aim.num_variables <= kFew) {
    return {14.0, 512};
  }
  return aim.num_variables <= kMore ? Persistence{14.0, 1024} : Persistence{64.0, kGiveUp};
}

}  // namespace

Budget budgetOf(const Aim& aim) {
  Budget budget{};
  budget.wanted = std::min(aim.wanted, kMostWanted);
  budget.looked_for = budget.wanted + extraOf(aim, budget.wanted);
  // Where few are missing, or none of those asked for, the search is as thorough as without.
  budget.enough = aim.dimensions > 0 ? budget.wanted : budget.looked_for;
  budget.most_colliding = collidingOf(aim, budget.looked_for);
  if (aim.approximate) {
    budget.looked_for = budget.enough = std::max(budget.wanted, kApproximations);
  }
  budget.traced = aim.dimensions == 1 && budget.wanted > 1 && !aim.around && !aim.scored;
  budget.first_batch = firstBatchOf(aim, budget.wanted, budget.traced);
  budget.spare = budget.most_colliding;
  if (aim.around) {
    // All of the first seeds are tried, to find the nearest solutions.
    budget.least_restarts = budget.first_batch;
    budget.spare += std::max(budget.first_batch, kFar);
  }
  if (aim.redundant) {
    budget.steps_each = budget.traced ? 4 : 2;
  }
  budget.step = stepOf(aim.dimensions);
  budget.persistence = persistenceOf(aim);
  return budget;
}

Run Budget::run(std::int64_t last) const {
  Run run{};
  run.last = last;
  run.num_solutions = looked_for;
  run.wanted = enough;
  run.min_restarts = least_restarts;
  run.endless = true;
  run.step = step;
  run.most_colliding = most_colliding;
  run.persistence = persistence.error;
  run.most_restarts = persistence.most_restarts;
  run.traced = traced;
  return run;
}

double nearError(const Tolerance& tolerance, double position_weight, double orientation_weight) {
  const auto weighted = [](double weight, double largest) {
    return weight > 0.0 ? weight * largest : 0.0;
  };
  const double position = weighted(position_weight, tolerance.position);
  const double orientation = weighted(orientation_weight, tolerance.orientation);
  return std::max(kNearMinimum * kNearMinimum, position * position + orientation * orientation);
}

}  // namespace generative_ik::search

#include "effort.hpp"

#include <algorithm>

namespace generative_ik::search {
namespace {

// Fewer and fewer extra solutions up to that many, as the last ones of a set take long to find.
constexpr std::int64_t kExtraUpTo = 128;
// The same within a region for each one wanted, at most so many. Where solutions form curves:
// found at random, they are thick in some places; mostly fewer are found, see trace.hpp. Where
// they form more. And if single poses leave the arm redundant, too.
constexpr double kExtraOnCurves = 2.0;
constexpr double kExtraOnSurfaces = 1.5;
constexpr double kExtraRedundant = 1.0;
constexpr double kMostExtraInRegion = 512.0;
// Seeds per solution of poses, of a redundant chain, and within regions: along curves null-space
// steps spread well, in what is more than curves restarts do.
constexpr double kSeedsAtPose = 3.5;
constexpr double kSeedsRedundant = 2.0;
constexpr double kSeedsOnCurves = 1.5;
constexpr double kSeedsOnSurfaces = 2.5;
// Null-space steps at poses; within regions, whose longer sets of solutions shorter steps would
// fill but a part of.
constexpr double kStep = 0.2;
constexpr double kStepOnCurves = 0.5;
constexpr double kStepOnSurfaces = 0.7;
// Closest error that is near, however fine the tolerances [rad].
constexpr double kNearMinimum = 3e-3;

}  // namespace

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

double seedsPerSolution(std::int64_t dimensions, bool redundant) {
  if (dimensions == 0) {
    return redundant ? kSeedsRedundant : kSeedsAtPose;
  }
  return dimensions == 1 ? kSeedsOnCurves : kSeedsOnSurfaces;
}

double nullSpaceStep(std::int64_t dimensions) {
  if (dimensions == 0) {
    return kStep;
  }
  return dimensions == 1 ? kStepOnCurves : kStepOnSurfaces;
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

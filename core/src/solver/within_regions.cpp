// What a solver knows of its chains within the regions of a call, and how many solutions and seeds
// it looks for and begins with, there and at poses.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "../regions/region_numbers.hpp"
#include "prepared.hpp"

namespace generative_ik {
namespace {

// Most solutions that are looked for beyond those asked for, so that the most diverse can be
// chosen; fewer and fewer up to that many solutions, as the last ones of a set take long to find.
constexpr std::size_t kExtra = 16;
constexpr std::size_t kExtraUpTo = 128;
// The same within a region for each one asked for, at most so many. Where solutions form curves:
// found at random, they are thick in some places. Where they form more. And if single poses leave
// the arm redundant, too.
constexpr double kExtraOnCurves = 2.0;
constexpr double kExtraOnSurfaces = 1.5;
constexpr double kExtraRedundant = 1.0;
constexpr double kMostExtraInRegion = 512.0;
// Null-space steps at poses; within regions whose solutions form curves, and where they form more:
// longer sets, of which shorter steps would fill but a part.
constexpr double kStep = 0.2;
constexpr double kStepOnCurves = 0.5;
constexpr double kStepOnSurfaces = 0.7;
// First guess of how many seeds it takes to find one more solution within regions: along curves
// null-space steps spread well, in what is more than curves restarts do.
constexpr double kSeedsOnCurves = 1.5;
constexpr double kSeedsOnSurfaces = 2.5;

// Args: dimensions: of the solutions. redundant: whether single poses leave the arm redundant.
std::size_t extraInRegion(std::size_t wanted, std::int64_t dimensions, bool redundant) {
  if (dimensions == 0) {
    return 0;
  }
  double each = kExtraOnCurves;
  if (dimensions > 1) {
    each = redundant ? kExtraRedundant : kExtraOnSurfaces;
  }
  return static_cast<std::size_t>(
      std::min(each * static_cast<double>(wanted), kMostExtraInRegion));
}

}  // namespace

IKSolver::Prepared::Prepared(const Prepared& poses, const std::vector<TaskSpaceRegion>& about,
                             const regions::PackedRegions& packed)
    : chains(poses.chains),
      options(poses.options),
      model(poses.model, packed),
      redundant(static_cast<int>(model.variables().size()) > model.numConstraints()),
      approximates(false),
      deficient(false),
      near(poses.near) {
  if (packed.roomy && redundant) {
    region_dimensions = std::ssize(model.variables()) - packed.held;
  }
  alike = poses.alike;
  const double reach = chain().reach() + options.tolerance.position;
  if (poses.branches) {
    in_region = RegionForms::of(*poses.branches, about.front(), options.tolerance, reach);
  } else if (poses.curves) {
    in_region = RegionForms::of(*poses.curves, about.front(), options.tolerance, reach);
  }
}

std::unique_ptr<const IKSolver::Prepared> IKSolver::Prepared::within(
    const IKRequest& request) const {
  const std::vector<TaskSpaceRegion>& about = request.regions;
  if (about.empty()) {
    return nullptr;
  }
  if (options.prefer != Preference::kNone) {
    throw std::invalid_argument(
        "prefer is for poses, not for regions, which say themselves what is free");
  }
  if (about.size() != chains.size()) {
    throw std::invalid_argument(std::to_string(about.size()) + " regions for " +
                                std::to_string(chains.size()) +
                                " tips: give one for each, TaskSpaceRegion() for an exact pose");
  }
  const auto all = [&](bool (TaskSpaceRegion::*is)() const) {
    return std::all_of(about.begin(), about.end(),
                       [is](const TaskSpaceRegion& region) { return (region.*is)(); });
  };
  if (all(&TaskSpaceRegion::isFree)) {
    throw std::invalid_argument("region: all tips are free: nothing to solve");
  }
  if (all(&TaskSpaceRegion::isExact)) {
    return nullptr;
  }
  const regions::PackedRegions packed(about, about.size(), {}, options.tolerance);
  auto within = std::make_unique<Prepared>(*this, about, packed);
  if (request.seed_state && !severalTips()) {
    within->steps_in_region = std::make_unique<const regions::NearRegion>(
        model.packed().floats, model.packed().ints, wholeSpace().rows(),
        std::vector<double>(model.units().begin(), model.units().end()), about.front());
  }
  return within;
}

double IKSolver::Prepared::step() const {
  if (region_dimensions == 0) {
    return kStep;
  }
  return region_dimensions == 1 ? kStepOnCurves : kStepOnSurfaces;
}

std::int64_t IKSolver::Prepared::firstBatch(const IKRequest& request, bool traced) const {
  if (traced) {
    return search::boundedBatch(0.0);
  }
  auto wanted = static_cast<std::int64_t>(request.num_solutions);
  double each = redundant ? search::kSeedsPerSolutionRedundant : search::kSeedsPerSolution;
  if (region_dimensions > 0) {
    each = region_dimensions == 1 ? kSeedsOnCurves : kSeedsOnSurfaces;
  } else if (redundant && !request.seed_state) {
    wanted = std::min(wanted, search::kManyWanted);
  }
  return search::boundedBatch(each * static_cast<double>(wanted));
}

std::size_t IKSolver::Prepared::lookedFor(const IKRequest& request) const {
  const std::size_t wanted = request.num_solutions;
  if (wanted <= 1 || request.seed_state.has_value()) {
    return wanted;
  }
  const std::size_t fewer = std::min(kExtra, wanted * kExtra / kExtraUpTo);
  const bool redundant_at_poses = model.variables().size() > 6 * chains.size();
  const std::size_t in_regions = extraInRegion(wanted, region_dimensions, redundant_at_poses);
  return wanted + std::max(in_regions, std::min(wanted, kExtra - fewer));
}

}  // namespace generative_ik

// What a solver knows of its chains within the regions of a call.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "../regions/region_numbers.hpp"
#include "prepared.hpp"

namespace generative_ik {

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

}  // namespace generative_ik

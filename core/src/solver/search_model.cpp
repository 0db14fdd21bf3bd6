#include "search_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "../local_solver/least_error.hpp"
#include "../model/units.hpp"

namespace generative_ik {
namespace {

// What leaves the error free that is not preferred.
Tolerance toleranceOf(const Tolerance& tolerance, Preference preferred) {
  constexpr double kFree = std::numeric_limits<double>::infinity();
  switch (preferred) {
    case Preference::kPosition:
      return {tolerance.position, kFree};
    case Preference::kOrientation:
      return {kFree, tolerance.orientation};
    default:
      return tolerance;
  }
}

// Makes the problem one of approximations, see `search::ApproximateProblem`.
void prefer(const Chain& chain, const Tolerance& tolerance, Preference preferred,
            PackedChain& packed) {
  const bool position = preferred == Preference::kPosition;
  const LaneOptions both = solverOptions(tolerance, chain.characteristicLength());
  // Solutions are minima: null-space steps lead away from them.
  packed.floats.back() = 0.0;
  packed.floats.push_back(position ? both.orientation_weight : both.position_weight);
  packed.ints.push_back(
      static_cast<std::int64_t>(position ? Preferred::kPosition : Preferred::kOrientation));
}

}  // namespace

SearchModel::SearchModel(const std::vector<Chain>& chains, const Tolerance& tolerance,
                         Preference preferred)
    : constraints_(countConstraints(tolerance) * static_cast<int>(chains.size())) {
  if (chains.size() != 1 && preferred != Preference::kNone) {
    throw std::invalid_argument("prefer is for chains with one tip");
  }
  SharedVariables shared(chains);
  double length = 0.0;
  for (const Chain& chain : chains) {
    length = std::max(length, chain.characteristicLength());
  }
  const Vector steps = stepUnitsOf(shared.variables, length);
  const LaneOptions options = solverOptions(tolerance, length, std::ssize(chains));
  JointTree tree = JointTree::of(chains, shared, steps);
  Vector units = unitsOf(shared.variables, length);
  joints_ = std::make_shared<const Joints>(Joints{std::move(shared.variables),
                                                  std::move(shared.places), std::move(units),
                                                  std::move(tree), options, tolerance});
  if (chains.size() > 1) {
    const std::vector<TaskSpaceRegion> poses(chains.size());
    takeGoals({poses, poses.size(), {}, tolerance});
    return;
  }
  const Chain& chain = chains.front();
  packed_ = generative_ik::packed(chain, toleranceOf(tolerance, preferred));
  if (preferred != Preference::kNone) {
    prefer(chain, tolerance, preferred, packed_);
  }
}

SearchModel::SearchModel(const SearchModel& poses, const regions::PackedRegions& regions)
    : joints_(poses.joints_), constraints_(static_cast<int>(regions.held)) {
  takeGoals(regions);
}

void SearchModel::takeGoals(const regions::PackedRegions& regions) {
  const bool redundant = std::ssize(joints_->variables) > regions.held;
  packed_ = packedGoals(joints_->tree, joints_->options, joints_->tolerance,
                        {regions.solver, regions.checks, regions.bounded, redundant});
  goals_.emplace();
  if (!goals_->read(packed_.view())) {
    throw std::logic_error("the numbers of a tree are not consistent");
  }
}

Vector SearchModel::ofChain(std::size_t chain, const Vector& q) const {
  if (q.size() != std::ssize(joints_->variables)) {
    throw std::invalid_argument("a configuration of " + std::to_string(q.size()) +
                                " entries for " + std::to_string(joints_->variables.size()) +
                                " variables");
  }
  return joints_->places.size() == 1 ? q : Vector(q(joints_->places[chain]));
}

}  // namespace generative_ik

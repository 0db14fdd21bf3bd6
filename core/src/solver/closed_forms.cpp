#include "closed_forms.hpp"

#include <generative_ik/closed_form.hpp>
#include <utility>

#include "bounds.hpp"
#include "search_space.hpp"

namespace generative_ik {
namespace {

SearchSpace spaceOf(const std::vector<Variable>& variables, const Vector& units,
                    const SolverOptions& options) {
  return {variables, units, SearchBox(variables), true, options.distinct_distance};
}

}  // namespace

std::optional<limbs::LimbForm> closedFormOf(const Chain& chain, const PackedChain& packed,
                                            const SolverOptions& options) {
  if (countConstraints(options.tolerance) < 6) {
    return std::nullopt;
  }
  const std::optional<ArmForm> form = findClosedForm(chain);
  if (!form || (form->locked_joint && !answers::isSpecial(form->family))) {
    return std::nullopt;
  }
  const SearchSpace space = spaceOf(chain.variables(), chain.units(), options);
  const double distance = options.distinct_distance;
  if (!form->locked_joint) {
    return answers::BranchProblem(form->family, form->parameters, packed.floats, packed.ints,
                                  boundsOf<answers::kJoints>(chain, space), distance);
  }
  const answers::CurveProblem curves(form->family, form->parameters, packed.floats, packed.ints,
                                     boundsOf<answers::kCurveJoints>(chain, space), distance);
  return limbs::SevenJoints{curves, regions::SurfaceProblem(curves)};
}

std::unique_ptr<const limbs::LimbsProblem> limbsOf(const std::vector<Chain>& chains,
                                                   const SearchModel& model,
                                                   const SolverOptions& options) {
  const std::vector<Variable>& variables = model.variables();
  std::size_t joints = 0;
  for (const Chain& chain : chains) {
    joints += chain.variables().size();
  }
  if (joints > variables.size() || joints > static_cast<std::size_t>(limbs::kMostVariables)) {
    return nullptr;
  }
  std::vector<limbs::Limb> all;
  for (std::size_t k = 0; k < chains.size(); ++k) {
    std::optional<limbs::LimbForm> form =
        closedFormOf(chains[k], packed(chains[k], options.tolerance), options);
    if (!form) {
      return nullptr;
    }
    all.push_back({*std::move(form), model.placesOf(k)});
  }
  const SearchSpace space = spaceOf(variables, model.units(), options);
  return std::make_unique<const limbs::LimbsProblem>(
      std::move(all), model.packed().floats, model.packed().ints,
      boundsOf<limbs::kMostVariables>(variables, model.units(), space),
      static_cast<std::int64_t>(variables.size()));
}

}  // namespace generative_ik

/// What a solver knows of its chains before it is asked.
#pragma once

#include <generative_ik/solver.hpp>
#include <memory>
#include <optional>

#include "../answers/branch_problem.hpp"
#include "../answers/curve_problem.hpp"
#include "../answers/near_problem.hpp"
#include "../limbs/limbs_problem.hpp"
#include "../regions/near_region.hpp"
#include "../regions/region_numbers.hpp"
#include "../search/budget.hpp"
#include "region_forms.hpp"
#include "search_model.hpp"
#include "search_space.hpp"

namespace generative_ik {

class IKSolver::Prepared {
 public:
  Prepared(std::vector<Chain> chains, const SolverOptions& options);
  /// The same for configurations that meet exactly what is preferred.
  Prepared(const Prepared& exact, Preference preferred);
  /// The same within the regions of a call, one for each tip.
  Prepared(const Prepared& poses, const std::vector<TaskSpaceRegion>& about,
           const regions::PackedRegions& packed);

  /// The same within the regions of a request; null if it asks for poses. It must not outlive
  /// this. Throws std::invalid_argument if there is not one for each tip, all are free, or
  /// something is preferred.
  [[nodiscard]] std::unique_ptr<const Prepared> within(const IKRequest& request) const;

  [[nodiscard]] const Chain& chain() const { return chains.front(); }
  [[nodiscard]] bool severalTips() const { return chains.size() > 1; }

  /// Throws std::invalid_argument if a request's seed state, consistency limits, world or targets
  /// are none for these chains.
  void check(const IKRequest& request) const;

  /// What a search is told to do for a request.
  [[nodiscard]] search::Budget budget(const IKRequest& request) const;

  /// The space that is searched without a seed state.
  [[nodiscard]] SearchSpace wholeSpace() const;

  /// The poses (tips, 4, 4) of a request, row by row. Throws std::invalid_argument if they are not
  /// as many as tips.
  [[nodiscard]] std::vector<double> posesOf(const IKRequest& request) const;

  /// The one solution nearest to a seed state, if the request, which was checked, asks for that,
  /// and it counts; none if a search has to look for it.
  [[nodiscard]] std::optional<Solution> nearest(const IKRequest& request) const;

  /// Has the nearest of the solutions within a region, in order of their distance from the seed
  /// state, be the nearest that steps from them and from there come to, if it counts.
  void comeNearer(const IKRequest& request, std::vector<Solution>& found) const;

  /// The most diverse of all branches of an arm of six joints, or the nearest to a seed state; the
  /// most diverse of the solutions on the curves of one of seven, all over a region, or of
  /// combinations of those of several; none if the request asks for something else, or a search
  /// has to look for them.
  [[nodiscard]] std::optional<IKSolutions> atOnce(const IKRequest& request) const;

  /// The most diverse of several solutions on curves that the request accepts; none if it asks for
  /// something else, or a search has to look for them.
  [[nodiscard]] std::optional<IKSolutions> acceptedOnCurves(const IKRequest& request,
                                                            const Deadline& deadline) const;

  // NOLINTBEGIN(*-non-private-member-variables-in-classes): a solver's are read-only
  std::vector<Chain> own_chains;  ///< Empty if they are another's.
  const std::vector<Chain>& chains;
  SolverOptions options;
  SearchModel model;
  /// Whether there are more joints than the tolerances constrain: solutions form continuous sets.
  bool redundant;
  /// How many dimensions the solutions within regions have; 0 of poses, and where nothing has
  /// room.
  std::int64_t region_dimensions = 0;
  /// Whether solutions are minima of the error that is not preferred.
  bool approximates;
  /// Whether there are too few joints for the pose, or too many alike: nearly all poses are out of
  /// reach.
  bool deficient;
  /// Squared error below which local minima may be solutions that restarts stopped short of.
  double near;
  /// The closed form, where poses are constrained in all directions: that of six joints, or that
  /// of seven with one of them locked.
  std::optional<answers::BranchProblem> branches;
  std::optional<answers::CurveProblem> curves;
  /// A few points of these, sooner.
  std::optional<regions::SurfaceProblem> points;
  /// Those of a region.
  std::optional<RegionForms> in_region;
  /// Those of several chains that share no joint; null: there are none.
  std::unique_ptr<const limbs::LimbsProblem> limbs;
  /// What finds solutions near a seed state where there is no such form.
  std::unique_ptr<const answers::NearProblem> steps;
  /// The same of one tip within a region.
  std::unique_ptr<const regions::NearRegion> steps_in_region;
  /// What finds approximations, where something is preferred.
  std::unique_ptr<const Prepared> approximate;
  /// What each variable counts in distances from seed states: 1.
  std::vector<double> alike;
  // NOLINTEND(*-non-private-member-variables-in-classes)

 private:
  /// The same, at most so many.
  [[nodiscard]] std::optional<IKSolutions> atOnce(const IKRequest& request,
                                                  std::size_t wanted) const;
  void prepareAtOnce();
};

}  // namespace generative_ik

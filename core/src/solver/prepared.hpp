/// What a solver knows of its chain before it is asked.
#pragma once

#include <generative_ik/solver.hpp>
#include <memory>
#include <optional>

#include "../answers/branch_problem.hpp"
#include "../answers/curve_problem.hpp"
#include "../answers/near_problem.hpp"
#include "../search/stopping_policy.hpp"
#include "packed_chain.hpp"

namespace generative_ik {

class IKSolver::Prepared {
 public:
  Prepared(Chain chain, const SolverOptions& options);

  /// How long poses without a solution are searched for. Args: narrowed: whether there are
  /// consistency limits.
  [[nodiscard]] search::Persistence persistence(bool narrowed) const;

  /// The one solution nearest to a seed state, of a request that asks for nothing else; none if a
  /// search has to look for it.
  [[nodiscard]] std::optional<Solution> nearest(const IKRequest& request) const;

  // NOLINTBEGIN(*-non-private-member-variables-in-classes): a solver's are read-only
  Chain chain;
  SolverOptions options;
  PackedChain packed;
  /// Whether there are more joints than the tolerances constrain: solutions form continuous sets.
  bool redundant;
  /// Whether there are too few joints for the pose, or too many alike: nearly all poses are out of
  /// reach.
  bool deficient;
  /// Squared error below which local minima may be solutions that restarts stopped short of.
  double near;
  /// The closed form, where poses are constrained in all directions: that of six joints, or that
  /// of seven with one of them locked.
  std::optional<answers::BranchProblem> branches;
  std::optional<answers::CurveProblem> curves;
  /// What finds solutions near a seed state where there is no such form.
  std::unique_ptr<const answers::NearProblem> steps;
  // NOLINTEND(*-non-private-member-variables-in-classes)

 private:
  void prepareNearest();
};

}  // namespace generative_ik

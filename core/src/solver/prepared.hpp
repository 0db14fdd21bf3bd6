/// What a solver knows of its chain before it is asked.
#pragma once

#include <generative_ik/closed_form.hpp>
#include <generative_ik/solver.hpp>
#include <optional>

#include "../search/stopping_policy.hpp"
#include "packed_chain.hpp"

namespace generative_ik {

class IKSolver::Prepared {
 public:
  Prepared(Chain chain, const SolverOptions& options);

  /// How long poses without a solution are searched for. Args: narrowed: whether there are
  /// consistency limits.
  [[nodiscard]] search::Persistence persistence(bool narrowed) const;

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
  /// The closed form of six joints, where poses are constrained in all directions.
  std::optional<ArmForm> closed_form;
  // NOLINTEND(*-non-private-member-variables-in-classes)
};

}  // namespace generative_ik

/// What is asked of a chain with a locked joint in all calls: the closed form of the other six
/// joints, where solutions lie, the chain.
#pragma once

#include <cstdint>
#include <generative_ik/closed_form.hpp>
#include <vector>

#include "../closed_form/locked_joint.hpp"
#include "branch_problem.hpp"
#include "verified_rows.hpp"

namespace generative_ik::answers {

/// Variables of a curve's points: six joints, and the locked one.
inline constexpr int kCurveJoints = kJoints + 1;

using CurveBounds = BoundsOf<kCurveJoints>;
using closed_form::LockedJoint;

/// A chain of seven joints, the first or the last of which is locked; or one of six, at whose tip
/// the one coordinate of a region takes the place of a locked joint.
struct CurveProblem {
  ClosedForm form;  ///< Of the six others.
  LockedJoint joint;
  std::vector<double> parameters;  ///< What the form takes.
  CurveBounds bounds;
  double exact = 0.0;         ///< Error above which solutions are made exact [m and rad].
  double distance;            ///< Solutions with no joint further apart are the same [rad or m].
  std::vector<double> apart;  ///< Of starts from a seed state, see `search::apartFromSeed`;
                              ///< none in a region.
  ChainNumbers chain;

  /// Args: numbers: of the locked joint, then what the form takes. Throws std::invalid_argument if
  /// they are not that, or if the chain's are none, see chain_problem.hpp.
  CurveProblem(const ClosedForm& form_used, const std::vector<double>& numbers,
               std::vector<double> chain_floats, std::vector<std::int64_t> chain_ints,
               const CurveBounds& where, double same_below);
  /// The same of a chain that is known.
  CurveProblem(const ClosedForm& form_used, const std::vector<double>& numbers,
               ChainNumbers chain_used, const CurveBounds& where, double same_below);

  /// Whether the locked joint is none of the chain's, but the coordinate of a region.
  [[nodiscard]] bool inRegion() const { return chain.numJoints() < kCurveJoints; }
  /// Whether some joint has room for several turns that differ.
  [[nodiscard]] bool turns() const;
  [[nodiscard]] RowBounds rowBounds() const {
    return {bounds.soft_lower, bounds.soft_upper, bounds.circular, distance, exact};
  }
};

}  // namespace generative_ik::answers

/// What is asked of a chain's closed form all over a region, in all calls.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "../answers/curve_problem.hpp"
#include "pose_sequence.hpp"

namespace generative_ik::regions {

using answers::CurveBounds;
using closed_form::LockedJoint;

/// A chain of six joints that has a closed form, or one of seven, the first or the last of which
/// is locked; and the region about targets.
struct SurfaceProblem {
  ClosedForm form;  ///< Of the six joints that are not locked.
  std::optional<LockedJoint> joint;
  std::vector<double> parameters;  ///< What the form takes.
  PoseSequence sequence;
  CurveBounds bounds;  ///< Those of six joints come first.
  double exact = 0.0;  ///< Error above which solutions are made exact [m and rad].
  double distance;     ///< Solutions with no joint further apart are the same [rad or m].
  answers::ChainNumbers chain;

  /// Args: numbers: what the form takes, of seven joints behind those of the locked one. region:
  /// those of a `PoseSequence`. Throws std::invalid_argument if they are not that, or if the
  /// chain's are none, see chain_problem.hpp.
  SurfaceProblem(const ClosedForm& form_used, const std::vector<double>& numbers,
                 const std::vector<double>& region, std::vector<double> chain_floats,
                 std::vector<std::int64_t> chain_ints, const CurveBounds& where,
                 double same_below);

  /// Those of chains that are known: of six joints, and of seven. Of poses alone it takes a few
  /// points of their curves.
  SurfaceProblem(const answers::BranchProblem& branches, const PoseSequence& region);
  explicit SurfaceProblem(const answers::CurveProblem& curves,
                          const PoseSequence& region = PoseSequence::ofPose());

  [[nodiscard]] std::int64_t numJoints() const { return chain.numJoints(); }
  [[nodiscard]] answers::RowBounds rowBounds() const {
    return {bounds.soft_lower, bounds.soft_upper, bounds.circular, distance, exact};
  }
};

}  // namespace generative_ik::regions

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

  /// That of six joints, and that of seven. Of poses alone it takes a few points of their curves.
  SurfaceProblem(const answers::BranchProblem& branches, const PoseSequence& region);
  explicit SurfaceProblem(const answers::CurveProblem& curves,
                          const PoseSequence& region = PoseSequence::ofPose());

  [[nodiscard]] std::int64_t numJoints() const { return chain.numJoints(); }
  [[nodiscard]] answers::RowBounds rowBounds() const {
    return {bounds.soft_lower, bounds.soft_upper, bounds.circular, distance, exact};
  }
};

}  // namespace generative_ik::regions

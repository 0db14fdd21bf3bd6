#include "surface_problem.hpp"

namespace generative_ik::regions {

SurfaceProblem::SurfaceProblem(const answers::BranchProblem& branches, const PoseSequence& region)
    : form(branches.form),
      parameters(branches.parameters),
      sequence(region),
      bounds(answers::widened<answers::kCurveJoints>(branches.bounds)),
      exact(branches.accuracy.exact),
      distance(branches.accuracy.distance),
      chain(branches.chain) {}

SurfaceProblem::SurfaceProblem(const answers::CurveProblem& curves, const PoseSequence& region)
    : form(curves.form),
      joint(curves.joint),
      parameters(curves.parameters),
      sequence(region),
      bounds(curves.bounds),
      exact(curves.exact),
      distance(curves.distance),
      chain(curves.chain) {}

}  // namespace generative_ik::regions

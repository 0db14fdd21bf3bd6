#include "surface_problem.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace generative_ik::regions {
namespace {

using answers::kCurveJoints;
using answers::kJoints;

PoseSequence sequenceOf(const std::vector<double>& region) {
  if (region.size() != static_cast<std::size_t>(PoseSequence::kSize)) {
    throw std::invalid_argument("region: expected " + std::to_string(PoseSequence::kSize) +
                                " numbers, got " + std::to_string(region.size()));
  }
  for (const double number : region) {
    if (std::isnan(number)) {
      throw std::invalid_argument("region: there is a NaN among its numbers");
    }
  }
  return PoseSequence::of(region.data());
}

}  // namespace

SurfaceProblem::SurfaceProblem(const ClosedForm& form_used, const std::vector<double>& numbers,
                               const std::vector<double>& region, std::vector<double> chain_floats,
                               std::vector<std::int64_t> chain_ints, const CurveBounds& where,
                               double same_below)
    : form(form_used),
      sequence(sequenceOf(region)),
      bounds(where),
      distance(same_below),
      chain(std::move(chain_floats), std::move(chain_ints), kJoints, kCurveJoints) {
  exact = answers::Accuracy::of(chain, distance).exact;
  auto own = numbers.begin();
  if (numJoints() == kCurveJoints) {
    joint = answers::lockedJointOf(form, numbers);
    own += LockedJoint::kNumbers;
  }
  parameters.assign(own, numbers.end());
  if (!form.takes(parameters.data(), parameters.size())) {
    throw std::invalid_argument("parameters: not those of an arm of the family " +
                                std::string(form.name));
  }
}

SurfaceProblem::SurfaceProblem(const answers::BranchProblem& branches, const PoseSequence& region)
    : form(branches.form),
      parameters(branches.parameters),
      sequence(region),
      bounds(answers::widened<kCurveJoints>(branches.bounds)),
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

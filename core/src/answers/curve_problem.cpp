#include "curve_problem.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace generative_ik::answers {
namespace {

// The locked joint whose numbers come before what the form takes.
LockedJoint lockedJointOf(const ClosedForm& form, const std::vector<double>& numbers) {
  constexpr std::size_t kOwn = LockedJoint::kNumbers;
  const double last = kCurveJoints - 1;
  const bool taken = numbers.size() > kOwn && (numbers[0] == 0.0 || numbers[0] == last) &&
                     form.takes(numbers.data() + kOwn, numbers.size() - kOwn) &&
                     form.max_branches <= closed_form::kBranches;
  if (!taken) {
    throw std::invalid_argument(
        "parameters: not those of a locked joint before an arm of the family " +
        std::string(form.name));
  }
  return LockedJoint::of(numbers.data());
}

}  // namespace

CurveProblem::CurveProblem(const ClosedForm& form_used, const std::vector<double>& numbers,
                           std::vector<double> chain_floats, std::vector<std::int64_t> chain_ints,
                           const CurveBounds& where, double same_below)
    : CurveProblem(form_used, numbers,
                   ChainNumbers(std::move(chain_floats), std::move(chain_ints), kCurveJoints),
                   where, same_below) {}

CurveProblem::CurveProblem(const ClosedForm& form_used, const std::vector<double>& numbers,
                           ChainNumbers chain_used, const CurveBounds& where, double same_below)
    : form(form_used),
      joint(lockedJointOf(form_used, numbers)),
      parameters(numbers.begin() + LockedJoint::kNumbers, numbers.end()),
      bounds(where),
      distance(same_below),
      chain(std::move(chain_used)) {
  // What is nearest to a seed state is asked of poses alone.
  if (!inRegion()) {
    apart = search::apartFromSeed(bounds.unit, kCurveJoints);
  }
  exact = Accuracy::of(chain, distance).exact;
  if (inRegion() && joint.isFirst()) {
    throw std::invalid_argument("parameters: the coordinate of a region is behind the joints");
  }
  if (!(distance > 0.0)) {
    throw std::invalid_argument("distance: expected more than 0");
  }
}

bool CurveProblem::turns() const {
  bool some = false;
  for (int v = 0; v < kCurveJoints && !inRegion(); ++v) {
    some = some ||
           (bounds.circular[v] && std::isfinite(bounds.upper_limit[v] - bounds.lower_limit[v]));
  }
  return some;
}

}  // namespace generative_ik::answers

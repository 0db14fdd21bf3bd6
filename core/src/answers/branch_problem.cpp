#include "branch_problem.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "../select/full_turns.hpp"

namespace generative_ik::answers {

BranchProblem::BranchProblem(const ClosedForm& form_used, std::vector<double> form_parameters,
                             std::vector<double> chain_floats,
                             std::vector<std::int64_t> chain_ints, const JointBounds& where,
                             const Accuracy& how)
    : form(form_used),
      parameters(std::move(form_parameters)),
      accuracy(how),
      bounds(where),
      chain(std::move(chain_floats), std::move(chain_ints), kJoints, kJoints) {
  if (!form.takes(parameters.data(), parameters.size()) || mostRows() > kMostRows) {
    throw std::invalid_argument("parameters: not those of an arm of the family " +
                                std::string(form.name));
  }
  accuracy.position_tolerance = chain.positionTolerance();
  accuracy.orientation_tolerance = chain.orientationTolerance();
  for (int v = 0; v < kJoints; ++v) {
    wide_lower[v] = bounds.lower[v] - accuracy.slack;
    wide_upper[v] = bounds.upper[v] + accuracy.slack;
    const double range = wide_upper[v] - wide_lower[v];
    const bool room = bounds.circular[v] || (bounds.periodic[v] && range >= kTurn);
    if (room && std::isfinite(range) &&
        std::isfinite(bounds.upper_limit[v] - bounds.lower_limit[v])) {
      turned.push_back(v);
    }
  }
}

}  // namespace generative_ik::answers

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
      floats(std::move(chain_floats)),
      ints(std::move(chain_ints)) {
  if (!form.takes(parameters.data(), parameters.size()) || mostRows() > kMostRows) {
    throw std::invalid_argument("parameters: not those of an arm of the family " +
                                std::string(form.name));
  }
  if (!search::ChainProblem::takes(packed(), kJoints) || ints[0] != kJoints) {
    throw std::invalid_argument("problem: not that of a chain of six joints");
  }
  std::vector<LaneRow> memory(static_cast<std::size_t>(countRows(kJoints, kJoints)));
  const search::ChainProblem unpacked(packed(), nullptr, memory.data());
  chain = unpacked.verifier();
  accuracy.position_tolerance = unpacked.positionTolerance();
  accuracy.orientation_tolerance = unpacked.orientationTolerance();
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

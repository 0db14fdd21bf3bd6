#include "branch_problem.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "../simd/constants.hpp"

namespace generative_ik::answers {
namespace {

// Branches with larger errors are made exact [m and rad].
constexpr double kExact = 1e-8;
// With larger tolerances there are solutions of poses that the closed form knows none of
// [m and rad].
constexpr double kCertain = 2e-5;

}  // namespace

Accuracy Accuracy::of(const ChainNumbers& chain, double same_below) {
  const double position = chain.positionTolerance();
  const double orientation = chain.orientationTolerance();
  const bool certain = std::max(position, orientation) <= kCertain;
  return {position,
          orientation,
          std::min({kExact, position, orientation}),
          same_below,
          certain ? orientation : 0.0,
          certain};
}

BranchProblem::BranchProblem(const ClosedForm& form_used, std::vector<double> form_parameters,
                             std::vector<double> chain_floats,
                             std::vector<std::int64_t> chain_ints, const JointBounds& where,
                             double same_below)
    : form(form_used),
      parameters(std::move(form_parameters)),
      chain(std::move(chain_floats), std::move(chain_ints), kJoints) {
  if (!form.takes(parameters.data(), parameters.size()) || mostRows() > kMostRows) {
    throw std::invalid_argument("parameters: not those of an arm of the family " +
                                std::string(form.name));
  }
  accuracy = Accuracy::of(chain, same_below);
  placeIn(where);
}

void BranchProblem::placeIn(const JointBounds& where) {
  bounds = where;
  widen();
  turned.clear();
  for (int v = 0; v < kJoints; ++v) {
    const double range = wide_upper[v] - wide_lower[v];
    const bool room = bounds.circular[v] || (bounds.periodic[v] && range >= kTurn);
    if (room && std::isfinite(range) &&
        std::isfinite(bounds.upper_limit[v] - bounds.lower_limit[v])) {
      turned.push_back(v);
    }
  }
}

void BranchProblem::widen() {
  for (int v = 0; v < kJoints; ++v) {
    wide_lower[v] = bounds.lower[v] - accuracy.slack;
    wide_upper[v] = bounds.upper[v] + accuracy.slack;
  }
}

void BranchProblem::countFrom(const double* seed) {
  bounds.countFrom(seed);
  widen();
}

}  // namespace generative_ik::answers

#include "units.hpp"

#include <algorithm>
#include <cmath>

namespace generative_ik {

Vector unitsOf(const std::vector<Variable>& variables, double length) {
  Vector units = Vector::Ones(static_cast<Eigen::Index>(variables.size()));
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (!variables[i].revolute) {
      units[static_cast<Eigen::Index>(i)] = length;
    }
  }
  return units;
}

Vector stepUnitsOf(const std::vector<Variable>& variables, double length) {
  Vector steps = unitsOf(variables, length);
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const double half = 0.5 * (variables[i].upper - variables[i].lower);
    if (!variables[i].revolute && std::isfinite(half)) {
      double& step = steps[static_cast<Eigen::Index>(i)];
      step = std::max(step, half);
    }
  }
  return steps;
}

}  // namespace generative_ik

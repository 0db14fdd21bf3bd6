#include "solution_order.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "../select/diverse_order.hpp"

namespace generative_ik {

void orderByDistance(std::vector<Solution>& solutions, const SearchBox& limits) {
  const Vector& seed = limits.seed();
  std::stable_sort(solutions.begin(), solutions.end(), [&](const Solution& a, const Solution& b) {
    return (a.q - seed).squaredNorm() < (b.q - seed).squaredNorm();
  });
}

void orderByError(std::vector<Solution>& solutions, Preference preferred,
                  const Tolerance& tolerance, const SearchBox& limits) {
  const auto error_of = [&](const Solution& solution) {
    return preferred == Preference::kPosition
               ? std::rint(solution.orientation_error / tolerance.orientation)
               : std::rint(solution.position_error / tolerance.position);
  };
  std::stable_sort(solutions.begin(), solutions.end(), [&](const Solution& a, const Solution& b) {
    const double first = error_of(a);
    const double second = error_of(b);
    return first < second ||
           (first == second && limits.seedDistance(a.q) < limits.seedDistance(b.q));
  });
}

void orderByDiversity(std::vector<Solution>& solutions, const std::vector<Variable>& variables,
                      const Vector& units) {
  const std::size_t size = variables.size();
  std::vector<double> positions;
  for (const Solution& solution : solutions) {
    positions.insert(positions.end(), solution.q.begin(), solution.q.end());
  }
  Vector lower(units.size());
  Vector upper(units.size());
  const auto turning = std::make_unique<bool[]>(size);  // NOLINT(*-avoid-c-arrays)
  for (std::size_t i = 0; i < size; ++i) {
    const Variable& variable = variables[i];
    lower[static_cast<Eigen::Index>(i)] = variable.lower;
    upper[static_cast<Eigen::Index>(i)] = variable.upper;
    turning[i] = variable.revolute && variable.periodic;
  }
  const auto count = static_cast<std::int64_t>(solutions.size());
  std::vector<std::int64_t> order(solutions.size());
  std::vector<float> memory;
  diverseOrder({positions.data(), count, units.size(), lower.data(), upper.data(), turning.get(),
                units.data()},
               count, kOrderWork, memory, order.data());
  std::vector<Solution> ordered;
  ordered.reserve(solutions.size());
  for (const std::int64_t at : order) {
    ordered.push_back(std::move(solutions[static_cast<std::size_t>(at)]));
  }
  solutions = std::move(ordered);
}

bool isAmong(const std::vector<Solution>& others, const Solution& solution, double distance) {
  return std::any_of(others.begin(), others.end(), [&](const Solution& other) {
    return (other.q - solution.q).cwiseAbs().maxCoeff() < distance;
  });
}

}  // namespace generative_ik

/// Bounds of solutions, as closed forms take them.
#pragma once

#include "../answers/branch_problem.hpp"
#include "../simd/constants.hpp"
#include "search_space.hpp"

namespace generative_ik {

/// Those of variables in a space, which are kSize or fewer. Args: units: of the variables, that
/// count as 1 rad.
template <int kSize>
answers::BoundsOf<kSize> boundsOf(const std::vector<Variable>& variables, const Vector& units,
                                  const SearchSpace& space) {
  const search::Box box = space.box();
  const search::Grid grid = space.grid();
  answers::BoundsOf<kSize> bounds{};
  for (std::size_t v = 0; v < variables.size(); ++v) {
    const Variable& variable = variables[v];
    bounds.lower[v] = box.lower[v];
    bounds.upper[v] = box.upper[v];
    bounds.soft_lower[v] = box.soft_lower[v];
    bounds.soft_upper[v] = box.soft_upper[v];
    bounds.reference[v] = box.reference[v];
    bounds.circular[v] = grid.circular[v] != 0;
    bounds.lower_limit[v] = variable.continuous ? -kInfinity : variable.lower;
    bounds.upper_limit[v] = variable.continuous ? kInfinity : variable.upper;
    bounds.periodic[v] = variable.revolute && variable.periodic;
    bounds.unit[v] = units[static_cast<Eigen::Index>(v)];
  }
  return bounds;
}

/// Those of a chain of so many variables.
template <int kSize>
answers::BoundsOf<kSize> boundsOf(const Chain& chain, const SearchSpace& space) {
  return boundsOf<kSize>(chain.variables(), chain.units(), space);
}

}  // namespace generative_ik

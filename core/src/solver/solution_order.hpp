/// The order in which a solver returns what it has found, and what it has found already.
#pragma once

#include <generative_ik/solver.hpp>
#include <vector>

namespace generative_ik {

/// Puts those first that are nearest to the seed state.
void orderByDistance(std::vector<Solution>& solutions, const SearchBox& limits);

/// Puts those first whose error is least that is not preferred; of those that differ by less than
/// a tolerance, the nearest to the seed state.
void orderByError(std::vector<Solution>& solutions, Preference preferred,
                  const Tolerance& tolerance, const SearchBox& limits);

/// Puts those first that are spread most widely.
void orderByDiversity(std::vector<Solution>& solutions, const std::vector<Variable>& variables,
                      const Vector& units);

/// Whether a solution is among others, or less than a distance [rad or m] from one of them.
bool isAmong(const std::vector<Solution>& others, const Solution& solution, double distance);

}  // namespace generative_ik

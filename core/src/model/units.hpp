/// What counts as 1 rad among variables of both kinds.
#pragma once

#include <generative_ik/chain.hpp>
#include <vector>

namespace generative_ik {

/// Units of variables, where so much counts as 1 rad [m], see `Chain::units` and `stepUnits`.
Vector unitsOf(const std::vector<Variable>& variables, double length);
Vector stepUnitsOf(const std::vector<Variable>& variables, double length);

}  // namespace generative_ik

/// Where steps towards the solution nearest to a seed state begin.
#pragma once

#include "nearest.hpp"

namespace generative_ik::answers {

/// Writes the starts of a target behind the others: branches near the seed state, and that one
/// unless a solution is known already.
///
/// Args: start: with all but where it begins, and the bound.
void addStarts(const NearestQuestion& question, search::DescentStart start, NearestMemory& memory);

}  // namespace generative_ik::answers

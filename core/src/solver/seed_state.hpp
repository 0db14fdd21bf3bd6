/// What is asked of seed states, and of the limits about them.
#pragma once

#include <cstddef>
#include <generative_ik/solver.hpp>

namespace generative_ik {

/// Throws std::invalid_argument if a seed state or consistency limits are not those of so many
/// variables, the seed state is not finite, or a limit is negative or NaN.
void checkSeedState(const Vector& seed_state, const ConsistencyLimits& limits, std::size_t size);

/// The same for what a request has of them. Throws, besides, if there are limits about nothing.
void checkSeedState(const IKRequest& request, std::size_t size);

}  // namespace generative_ik

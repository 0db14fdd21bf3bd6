/// Which configurations are free in the world of a request.
#pragma once

#include <cstdint>
#include <functional>
#include <generative_ik/solver.hpp>
#include <span>

namespace generative_ik {

/// Throws std::invalid_argument if the world of a request is not one of so many variables.
void checkWorld(const IKRequest& request, std::int64_t num_variables);

/// Whether what a world's spheres cannot tell of collides: it does, if nobody says otherwise.
bool collides(const std::function<bool(const Vector&)>& asked, std::span<const double> q);

/// Whether a configuration counts: it is free in the world of a request, and accepted.
bool counts(const IKRequest& request, const Vector& q);

}  // namespace generative_ik

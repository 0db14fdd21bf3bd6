#include "collisions.hpp"

#include <generative_ik/collision_world.hpp>
#include <stdexcept>
#include <string>

namespace generative_ik {

void checkWorld(const IKRequest& request, std::int64_t num_variables) {
  if (request.world != nullptr && request.world->numVariables() != num_variables) {
    throw std::invalid_argument("the world is one of " +
                                std::to_string(request.world->numVariables()) +
                                " variables, not of " + std::to_string(num_variables));
  }
}

bool collides(const std::function<bool(const Vector&)>& asked, std::span<const double> q) {
  return !asked || asked(Eigen::Map<const Vector>(q.data(), std::ssize(q)));
}

bool counts(const IKRequest& request, const Vector& q) {
  if (request.world != nullptr) {
    CollisionMemory memory;
    const Verdict verdict = request.world->check(q.data(), CollisionWorld::kSure, memory);
    const bool free =
        verdict == Verdict::kFree ||
        (verdict != Verdict::kColliding &&
         !collides(request.collides, {q.data(), static_cast<std::size_t>(q.size())}));
    if (!free) {
      return false;
    }
  }
  return !request.accept || request.accept(q);
}

}  // namespace generative_ik

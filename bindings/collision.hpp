// Collision worlds.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <generative_ik/collision_world.hpp>

namespace generative_ik::bindings {

/// The check of solutions with so many joints in a world; none without a world.
CollisionCheck checkOf(const CollisionWorld* world, std::int64_t num_joints);

/// Shapes, and the world that they are of.
struct WorldShapes {
  const CollisionWorld& world;
  ShapeDistances shapes;
};

}  // namespace generative_ik::bindings

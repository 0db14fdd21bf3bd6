/// Checks and measurements of many configurations, by all threads.
#pragma once

#include <cstdint>
#include <generative_ik/collision_world.hpp>

#include "../parallel/checkpoint.hpp"

namespace generative_ik::collision {

/// Configurations, one after the other [rad or m].
struct Rows {
  const double* positions;
  std::int64_t count;
};

/// Writes the verdict on each configuration.
void check(const CollisionWorld& world, const Rows& rows, Verdict* verdicts,
           const parallel::StopWhen& stop);

/// Writes lower bounds of the clearance [m]: 0 where spheres overlap, infinite where there is
/// nothing, NaN for NaN.
void measure(const CollisionWorld& world, const Rows& rows, double* bounds,
             const parallel::StopWhen& stop);

/// Writes the distances between the shapes, as above.
void measure(const CollisionWorld& world, const ShapeDistances& shapes, const Rows& rows,
             double* distances, const parallel::StopWhen& stop);

}  // namespace generative_ik::collision

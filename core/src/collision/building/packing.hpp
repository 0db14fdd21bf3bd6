/// Bodies, primitives and surfaces in flat arrays, as a collision world reads them.
#pragma once

#include <cstdint>
#include <generative_ik/collision_world.hpp>
#include <vector>

#include "body.hpp"
#include "solids.hpp"
#include "surface.hpp"

namespace generative_ik::collision::building {

/// A body in a frame of the robot.
struct PlacedBody {
  SphereTree cover;
  SphereTree inner;  ///< without groups: nothing is known to be inside; or the cover itself
  bool exact;
  const std::vector<Point>* extremes;
  std::int64_t frame;  ///< that it is fixed to; 0 stands
  RigidPose pose;      ///< its own frame in that one [m]
};

/// As `CollisionWorldArrays` has them.
struct PackedBodies {
  std::vector<std::int64_t> ints;
  std::vector<double> trees;
  std::vector<double> extremes;
};

PackedBodies packedBodies(const std::vector<PlacedBody>& bodies);

/// Primitives in groups of eight of one kind, as `CollisionWorldArrays` has them.
struct PackedPrimitives {
  std::vector<std::int64_t> order;  ///< (8 G) which primitive is in each lane, or -1
  std::vector<std::int64_t> kinds;
  std::vector<double> rows;
  std::vector<double> corners;
};

/// Args: solids: no meshes, in frame 0.
PackedPrimitives packedPrimitives(const std::vector<Solid>& solids);

/// A surface in a frame of the robot.
struct PlacedSurface {
  const Surface* surface;
  RigidPose pose;
};

/// Packs the pieces of all bodies, and of primitives in the order of their lanes.
ShapeArrays packedSurfaces(const std::vector<PlacedSurface>& bodies,
                           const std::vector<Solid>& primitives,
                           const std::vector<std::int64_t>& order);

}  // namespace generative_ik::collision::building

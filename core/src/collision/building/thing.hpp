/// Links and obstacles, and what checks know of them.
#pragma once

#include <cstdint>
#include <generative_ik/shapes.hpp>
#include <string>
#include <vector>

#include "body.hpp"
#include "surface.hpp"
#include "triangles.hpp"

namespace generative_ik::collision::building {

/// Something rigid.
struct Thing {
  std::string name;
  std::int64_t frame = 0;  ///< that it is fixed to; 0 stands
  RigidPose pose{};        ///< its own frame in that one [m]
  std::vector<Shape> shapes;
  double padding = 0.0;  ///< distance that it keeps from others of the robot [m]
  BuiltBody body{};
  Surface surface;
  std::vector<Point> points;     ///< one of each connected part [m]
  std::vector<Triangle> closed;  ///< of meshes that are watertight [m]
};

/// A shape whose faces are consistently wound, if it is a mesh. Throws as `checkShape`.
Shape repaired(Shape shape);

/// Fills in what follows from the shapes of things, by as many threads as there are cores.
void buildAll(std::vector<Thing>& things);

/// Whether one of some points is inside what closed surfaces enclose; `to_surface` brings points
/// to their frame.
bool encloses(const std::vector<Triangle>& closed, const RigidPose& to_surface,
              const std::vector<Point>& points);

}  // namespace generative_ik::collision::building

#include "thing.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "../../parallel/for_each.hpp"
#include "mesh_surface.hpp"

namespace generative_ik::collision::building {
namespace {

void build(Thing& thing) {
  thing.body = bodyOf(thing.shapes);
  thing.surface = thing.body.exact ? surfaceOf(thing.body.cover) : surfaceOf(thing.shapes);
  for (const Shape& shape : thing.shapes) {
    const RigidPose pose = rigidPoseOf(shape.pose);
    const auto* mesh = std::get_if<std::shared_ptr<const Mesh>>(&shape.solid);
    if (mesh == nullptr) {
      thing.points.push_back(pose.p);
      continue;
    }
    const MeshParts parts = partsOf(**mesh);
    for (const Point& point : parts.points) {
      thing.points.push_back(moved(pose, point));
    }
    for (const Triangle& triangle : parts.closed) {
      thing.closed.push_back(movedBy(pose, triangle));
    }
  }
}

}  // namespace

Shape repaired(Shape shape) {
  checkShape(shape);
  if (auto* mesh = std::get_if<std::shared_ptr<const Mesh>>(&shape.solid)) {
    *mesh = std::make_shared<const Mesh>(Mesh{(*mesh)->vertices, repairedFaces(**mesh).faces});
  }
  return shape;
}

void buildAll(std::vector<Thing>& things) {
  parallel::forEach(static_cast<std::int64_t>(things.size()),
                    [&things](std::int64_t k) { build(things[static_cast<std::size_t>(k)]); }, {});
}

bool encloses(const std::vector<Triangle>& closed, const RigidPose& to_surface,
              const std::vector<Point>& points) {
  if (closed.empty()) {
    return false;
  }
  Bounds bounds;
  for (const Triangle& triangle : closed) {
    for (const Point& corner : triangle) {
      bounds.add(corner);
    }
  }
  return std::any_of(points.begin(), points.end(), [&](const Point& point) {
    const Point here = moved(to_surface, point);
    return bounds.squaredDistance(here) == 0.0 && windsAround(closed, here);
  });
}

}  // namespace generative_ik::collision::building

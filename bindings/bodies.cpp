// Bodies of shapes, and their arrays.
#include <algorithm>
#include <collision/building/body.hpp>
#include <collision/building/mesh_surface.hpp>
#include <collision/building/packing.hpp>
#include <cstdint>
#include <local_solver/packed_joints.hpp>
#include <memory>
#include <parallel/for_each.hpp>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "gil.hpp"
#include "interrupts.hpp"
#include "module.hpp"
#include "pool.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;
namespace building = collision::building;
using building::SolidKind;

constexpr std::size_t kShapeParts = 5;

std::shared_ptr<const Mesh> meshOf(const py::array& vertices, const py::array& faces) {
  const auto* points = readable<double>(vertices, "vertices", Shape<2>{kAny, 3});
  const auto* corners = readable<std::int64_t>(faces, "faces", Shape<2>{kAny, 3});
  require(faces.shape(0) <= static_cast<py::ssize_t>(kMostFaces), "faces: too many");
  auto mesh = std::make_shared<Mesh>();
  mesh->vertices.resize(static_cast<std::size_t>(vertices.shape(0)));
  mesh->faces.resize(static_cast<std::size_t>(faces.shape(0)));
  for (std::size_t k = 0; k < mesh->vertices.size(); ++k) {
    mesh->vertices[k] = {points[3 * k], points[3 * k + 1], points[3 * k + 2]};
  }
  for (std::size_t k = 0; k < mesh->faces.size(); ++k) {
    mesh->faces[k] = {corners[3 * k], corners[3 * k + 1], corners[3 * k + 2]};
  }
  return mesh;
}

/// A mesh that was checked.
std::shared_ptr<const Mesh> soundMesh(const py::array& vertices, const py::array& faces) {
  std::shared_ptr<const Mesh> mesh = meshOf(vertices, faces);
  checkShape({mesh});
  return mesh;
}

/// A shape of a kind, three sizes, a pose, and the vertices and faces of meshes.
generative_ik::Shape shapeOf(const py::tuple& parts) {
  require(parts.size() == kShapeParts, "shapes: expected a kind, sizes, a pose, vertices, faces");
  const auto kind = py::cast<int>(parts[0]);
  const auto sizes = py::cast<py::array>(parts[1]);
  const auto pose = py::cast<py::array>(parts[2]);
  const auto* size = readable<double>(sizes, "sizes", Shape<1>{3});
  generative_ik::Shape shape;
  shape.pose = readPose(readable<double>(pose, "pose", Shape<2>{4, 4}));
  switch (static_cast<SolidKind>(kind)) {
    case SolidKind::kBox:
      shape.solid = Box{{size[0], size[1], size[2]}};
      return shape;
    case SolidKind::kSphere:
      shape.solid = Sphere{size[0]};
      return shape;
    case SolidKind::kCylinder:
      shape.solid = Cylinder{size[0], size[1]};
      return shape;
    case SolidKind::kCapsule:
      shape.solid = Capsule{size[0], size[1]};
      return shape;
    case SolidKind::kMesh:
      shape.solid = meshOf(py::cast<py::array>(parts[3]), py::cast<py::array>(parts[4]));
      return shape;
  }
  throw py::value_error("shapes: there is no such kind");
}

std::vector<generative_ik::Shape> shapesOf(const py::handle& thing) {
  std::vector<generative_ik::Shape> shapes;
  for (const py::handle shape : py::cast<py::list>(thing)) {
    shapes.push_back(shapeOf(py::cast<py::tuple>(shape)));
  }
  return shapes;
}

py::array pointsOf(const std::vector<collision::Point>& points) {
  py::array made = newArray<double>(Shape<2>{static_cast<py::ssize_t>(points.size()), 3});
  auto* out = static_cast<double*>(made.mutable_data());
  for (const collision::Point& point : points) {
    *out++ = point.x;
    *out++ = point.y;
    *out++ = point.z;
  }
  return made;
}

template <class Number, std::size_t kDimensions>
py::array arrayOf(const std::vector<Number>& numbers, const Shape<kDimensions>& shape) {
  py::array made = newArray<Number>(shape);
  std::copy(numbers.begin(), numbers.end(), static_cast<Number*>(made.mutable_data()));
  return made;
}

py::array treeArray(const building::PackedTree& tree) {
  return arrayOf(tree.rows, Shape<3>{static_cast<py::ssize_t>(tree.groups()), collision::kTreeRows,
                                     collision::kSiblings});
}

collision::SphereTree treeOf(const py::array& rows, const char* name) {
  return {readable<double>(rows, name, Shape<3>{kAny, collision::kTreeRows, collision::kSiblings}),
          rows.shape(0)};
}

py::list buildBodies(const py::list& things) {
  std::vector<std::vector<generative_ik::Shape>> shapes;
  for (const py::handle thing : things) {
    shapes.push_back(shapesOf(thing));
  }
  std::vector<building::BuiltBody> bodies;
  interruptible(kForever, [&](const parallel::StopWhen& stop) {
    bodies = building::bodiesOf(shapes, stop);
  });
  py::list made;
  for (const building::BuiltBody& body : bodies) {
    const py::array cover = treeArray(body.cover);
    const py::array inner = body.exact ? cover : treeArray(body.inner);
    made.append(py::make_tuple(cover, inner, body.exact, pointsOf(body.extremes)));
  }
  return made;
}

py::array treeAbove(const py::array& leaves) {
  const auto* numbers = readable<double>(leaves, "leaves", Shape<2>{kAny, 4});
  std::vector<collision::Sphere> spheres;
  spheres.reserve(static_cast<std::size_t>(leaves.shape(0)));
  for (py::ssize_t k = 0; k < leaves.shape(0); ++k) {
    const double* at = numbers + 4 * k;
    spheres.push_back({{at[0], at[1], at[2]}, at[3]});
  }
  const building::PackedTree tree =
      withoutGil([&] { return building::treeAbove(std::move(spheres)); });
  return treeArray(tree);
}

py::tuple repairFaces(const py::array& vertices, const py::array& faces) {
  const std::shared_ptr<const Mesh> mesh = soundMesh(vertices, faces);
  const building::Repaired repaired = withoutGil([&] { return building::repairedFaces(*mesh); });
  py::array made =
      newArray<std::int64_t>(Shape<2>{static_cast<py::ssize_t>(repaired.faces.size()), 3});
  auto* out = static_cast<std::int64_t*>(made.mutable_data());
  for (const building::Face& face : repaired.faces) {
    out = std::copy(face.begin(), face.end(), out);
  }
  return py::make_tuple(std::move(made), repaired.unsure);
}

py::array degenerateFaces(const py::array& vertices, const py::array& faces) {
  const std::shared_ptr<const Mesh> mesh = soundMesh(vertices, faces);
  py::array made = newArray<bool>(Shape<1>{faces.shape(0)});
  auto* out = static_cast<bool*>(made.mutable_data());
  for (const building::Face& face : mesh->faces) {
    *out++ = building::isDegenerate(building::triangleOf(*mesh, face));
  }
  return made;
}

py::tuple meshParts(const py::array& vertices, const py::array& faces) {
  const std::shared_ptr<const Mesh> mesh = soundMesh(vertices, faces);
  const building::MeshParts parts = withoutGil([&] { return building::partsOf(*mesh); });
  py::array closed =
      newArray<double>(Shape<3>{static_cast<py::ssize_t>(parts.closed.size()), 3, 3});
  auto* out = static_cast<double*>(closed.mutable_data());
  for (const building::Triangle& triangle : parts.closed) {
    for (const collision::Point& corner : triangle) {
      *out++ = corner.x;
      *out++ = corner.y;
      *out++ = corner.z;
    }
  }
  return py::make_tuple(pointsOf(parts.points), std::move(closed));
}

std::vector<collision::Point> pointList(const double* numbers, py::ssize_t count) {
  std::vector<collision::Point> points;
  points.reserve(static_cast<std::size_t>(count));
  for (py::ssize_t k = 0; k < count; ++k) {
    points.push_back({numbers[3 * k], numbers[3 * k + 1], numbers[3 * k + 2]});
  }
  return points;
}

py::array windsAround(const py::array& triangles, const py::array& points) {
  const auto* corners = readable<double>(triangles, "triangles", Shape<3>{kAny, 3, 3});
  const auto* places = readable<double>(points, "points", Shape<2>{kAny, 3});
  const std::vector<collision::Point> flat = pointList(corners, 3 * triangles.shape(0));
  std::vector<building::Triangle> surface;
  surface.reserve(flat.size() / 3);
  for (std::size_t k = 0; k < flat.size(); k += 3) {
    surface.push_back({flat[k], flat[k + 1], flat[k + 2]});
  }
  py::array made = newArray<bool>(Shape<1>{points.shape(0)});
  auto* out = static_cast<bool*>(made.mutable_data());
  {
    const GilReleased released;
    for (const collision::Point& point : pointList(places, points.shape(0))) {
      *out++ = building::windsAround(surface, point);
    }
  }
  return made;
}

/// Poses of so many things.
std::vector<collision::RigidPose> posesOf(const py::array& poses, py::ssize_t count) {
  const auto* numbers = readable<double>(poses, "poses", Shape<3>{count, 4, 4});
  std::vector<collision::RigidPose> made;
  for (py::ssize_t k = 0; k < count; ++k) {
    made.push_back(building::rigidPoseOf(readPose(numbers + 16 * k)));
  }
  return made;
}

/// Bodies of a cover, what is inside, whether it is exact, and extremes.
py::tuple packBodies(const py::list& bodies, const py::array& frames, const py::array& poses) {
  const auto count = static_cast<py::ssize_t>(bodies.size());
  const auto* frame = readable<std::int64_t>(frames, "frames", Shape<1>{count});
  const std::vector<collision::RigidPose> placed = posesOf(poses, count);
  std::vector<std::vector<collision::Point>> extremes(bodies.size());
  std::vector<building::PlacedBody> all;
  std::vector<py::tuple> kept;  // whatever happens to the list meanwhile
  for (std::size_t k = 0; k < extremes.size(); ++k) {
    const auto parts = py::cast<py::tuple>(bodies[k]);
    kept.push_back(parts);
    require(parts.size() == 4, "bodies: expected a cover, what is inside, exactness, extremes");
    const auto points = py::cast<py::array>(parts[3]);
    const auto* numbers = readable<double>(points, "extremes", Shape<2>{kAny, 3});
    extremes[k] = pointList(numbers, points.shape(0));
    const auto cover = py::cast<py::array>(parts[0]);
    collision::SphereTree inner{nullptr, 0};
    if (!parts[1].is_none()) {
      inner = treeOf(py::cast<py::array>(parts[1]), "inner");
    }
    all.push_back({treeOf(cover, "cover"), inner, py::cast<bool>(parts[2]), &extremes[k], frame[k],
                   placed[k]});
  }
  const building::PackedBodies packed = withoutGil([&] { return building::packedBodies(all); });
  const auto rows = static_cast<py::ssize_t>(packed.trees.size()) / collision::kSiblings;
  const auto points = static_cast<py::ssize_t>(packed.extremes.size()) / 3;
  return py::make_tuple(arrayOf(packed.ints, Shape<2>{count, 8}),
                        arrayOf(packed.trees, Shape<2>{rows, collision::kSiblings}),
                        arrayOf(packed.extremes, Shape<2>{points, 3}));
}

/// Primitives of kinds, three sizes and poses each.
std::vector<building::Solid> primitivesOf(const py::array& kinds, const py::array& sizes,
                                          const py::array& poses) {
  const py::ssize_t count = kinds.size();
  const auto* kind = readable<std::int64_t>(kinds, "kinds", Shape<1>{kAny});
  const auto* size = readable<double>(sizes, "sizes", Shape<2>{count, 3});
  const std::vector<collision::RigidPose> placed = posesOf(poses, count);
  std::vector<building::Solid> made;
  made.reserve(placed.size());
  for (std::size_t k = 0; k < placed.size(); ++k, size += 3) {
    require(kind[k] >= 0 && kind[k] < static_cast<int>(SolidKind::kMesh), "kinds: no primitive");
    building::Solid solid{};
    solid.kind = static_cast<SolidKind>(kind[k]);
    solid.pose = placed[k];
    if (solid.kind == SolidKind::kBox) {
      solid.size = {size[0], size[1], size[2]};
    } else {
      solid.radius = size[0];
      solid.length = size[1];
    }
    made.push_back(std::move(solid));
  }
  return made;
}

py::tuple packPrimitives(const py::array& kinds, const py::array& sizes, const py::array& poses) {
  const std::vector<building::Solid> solids = primitivesOf(kinds, sizes, poses);
  const building::PackedPrimitives packed =
      withoutGil([&] { return building::packedPrimitives(solids); });
  const auto lanes = static_cast<py::ssize_t>(packed.order.size());
  const auto groups = static_cast<py::ssize_t>(packed.kinds.size());
  return py::make_tuple(
      arrayOf(packed.order, Shape<1>{lanes}), arrayOf(packed.kinds, Shape<1>{groups}),
      arrayOf(packed.rows, Shape<3>{groups, collision::kPrimitiveRows, collision::kSiblings}),
      arrayOf(packed.corners, Shape<3>{lanes, collision::kSiblings, 3}));
}

/// Things are lists of shapes, or the covers of exact bodies.
py::list buildSurfaces(const py::list& things) {
  struct Thing {
    std::vector<generative_ik::Shape> shapes;
    building::PackedTree cover;
  };
  std::vector<Thing> all;
  for (const py::handle thing : things) {
    if (py::isinstance<py::array>(thing)) {
      const collision::SphereTree cover = treeOf(py::cast<py::array>(thing), "cover");
      all.push_back({{}, {{cover.rows, cover.rows + collision::kGroupSize * cover.groups}}});
    } else {
      all.push_back({shapesOf(thing), {}});
    }
  }
  std::vector<building::Surface> surfaces(all.size());
  interruptible(kForever, [&](const parallel::StopWhen& stop) {
    parallel::forEach(
        static_cast<std::int64_t>(all.size()),
        [&](std::int64_t k) {
          const Thing& thing = all[static_cast<std::size_t>(k)];
          surfaces[static_cast<std::size_t>(k)] = thing.cover.rows.empty()
                                                      ? building::surfaceOf(thing.shapes)
                                                      : building::surfaceOf(thing.cover);
        },
        stop);
  });
  py::list made;
  for (building::Surface& surface : surfaces) {
    made.append(std::make_unique<building::Surface>(std::move(surface)));
  }
  return made;
}

py::tuple packSurfaces(const py::list& surfaces, const py::array& poses, const py::array& kinds,
                       const py::array& sizes, const py::array& primitive_poses,
                       const py::array& order) {
  const std::vector<collision::RigidPose> placed =
      posesOf(poses, static_cast<py::ssize_t>(surfaces.size()));
  const std::vector<building::Solid> solids = primitivesOf(kinds, sizes, primitive_poses);
  const auto* lanes = readable<std::int64_t>(order, "order", Shape<1>{kAny});
  const std::vector<std::int64_t> which(lanes, lanes + order.size());
  for (const std::int64_t k : which) {
    require(k >= -1 && k < static_cast<std::int64_t>(solids.size()), "order: no such primitive");
  }
  std::vector<building::PlacedSurface> all;
  for (std::size_t k = 0; k < placed.size(); ++k) {
    all.push_back({&py::cast<const building::Surface&>(surfaces[k]), placed[k]});
  }
  const ShapeArrays packed =
      withoutGil([&] { return building::packedSurfaces(all, solids, which); });
  return py::make_tuple(
      arrayOf(packed.pieces, Shape<1>{static_cast<py::ssize_t>(packed.pieces.size())}),
      arrayOf(packed.places, Shape<1>{static_cast<py::ssize_t>(packed.places.size())}));
}

}  // namespace

void bindBodies(py::module_& module) {
  py::class_<building::Surface>(module, "BodySurface")
      .def_static("build", &buildSurfaces, py::arg("things"));
  module.attr("BODY_REVISION") = building::kBodyRevision;
  module.def("build_bodies", &buildBodies, py::arg("things"));
  module.def("tree_above", &treeAbove, py::arg("leaves"));
  module.def("repair_faces", &repairFaces, py::arg("vertices"), py::arg("faces"));
  module.def("degenerate_faces", &degenerateFaces, py::arg("vertices"), py::arg("faces"));
  module.def("mesh_parts", &meshParts, py::arg("vertices"), py::arg("faces"));
  module.def("winds_around", &windsAround, py::arg("triangles"), py::arg("points"));
  module.def("pack_bodies", &packBodies, py::arg("bodies"), py::arg("frames"), py::arg("poses"));
  module.def("pack_primitives", &packPrimitives, py::arg("kinds"), py::arg("sizes"),
             py::arg("poses"));
  module.def("pack_surfaces", &packSurfaces, py::arg("surfaces"), py::arg("poses"),
             py::arg("kinds"), py::arg("sizes"), py::arg("primitive_poses"), py::arg("order"));
}

}  // namespace generative_ik::bindings

#include "solids.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "../../model/rigid.hpp"
#include "mesh_surface.hpp"

namespace generative_ik {
namespace {

[[noreturn]] void refuseShape(const std::string& why) {
  throw std::invalid_argument("shape: " + why);
}

// NaN fails the comparisons.
void checkLength(const char* what, double length) {
  if (!(length > 0.0 && length <= kLargestSize)) {
    refuseShape(std::string(what) + " must be above 0 and at most 1e4 [m]");
  }
}

void checkMesh(const std::shared_ptr<const Mesh>& mesh) {
  if (mesh == nullptr) {
    refuseShape("a mesh is missing");
  }
  const auto faces = static_cast<std::int64_t>(mesh->faces.size());
  if (faces == 0 || faces > kMostFaces) {
    refuseShape("a mesh has " + std::to_string(faces) + " faces; from 1 to 2000000");
  }
  for (const Eigen::Vector3d& vertex : mesh->vertices) {
    if (!(vertex.cwiseAbs().array() <= kLargestSize).all()) {
      refuseShape("a mesh has a vertex that is not finite, or above 1e4 [m]");
    }
  }
  const auto vertices = static_cast<std::int64_t>(mesh->vertices.size());
  for (const std::array<std::int64_t, 3>& face : mesh->faces) {
    for (const std::int64_t corner : face) {
      if (corner < 0 || corner >= vertices) {
        refuseShape("a face of a mesh names a vertex that does not exist");
      }
    }
  }
}

struct SolidCheck {
  void operator()(const Box& box) const {
    for (int k = 0; k < 3; ++k) {
      checkLength("a box's lengths", box.size[k]);
    }
  }
  void operator()(const Sphere& sphere) const { checkLength("a sphere's radius", sphere.radius); }
  void operator()(const Cylinder& cylinder) const {
    checkLength("a cylinder's radius", cylinder.radius);
    checkLength("a cylinder's length", cylinder.length);
  }
  void operator()(const Capsule& capsule) const {
    checkLength("a capsule's radius", capsule.radius);
    checkLength("a capsule's length", capsule.length);
  }
  void operator()(const std::shared_ptr<const Mesh>& mesh) const { checkMesh(mesh); }
};

}  // namespace

void checkShape(const Shape& shape) {
  if (!isRigid(shape.pose) || shape.pose.translation().cwiseAbs().maxCoeff() > kLargestSize) {
    refuseShape("its pose must be a rigid transform, within 1e4 [m]");
  }
  std::visit(SolidCheck(), shape.solid);
}

}  // namespace generative_ik

namespace generative_ik::collision::building {
namespace {

struct SolidParts {
  Solid& to;

  void operator()(const Box& box) const {
    to.kind = SolidKind::kBox;
    to.size = {box.size.x(), box.size.y(), box.size.z()};
  }
  void operator()(const generative_ik::Sphere& sphere) const {
    to.kind = SolidKind::kSphere;
    to.radius = sphere.radius;
  }
  void operator()(const Cylinder& cylinder) const {
    to.kind = SolidKind::kCylinder;
    to.radius = cylinder.radius;
    to.length = cylinder.length;
  }
  void operator()(const Capsule& capsule) const {
    to.kind = SolidKind::kCapsule;
    to.radius = capsule.radius;
    to.length = capsule.length;
  }
  void operator()(const std::shared_ptr<const Mesh>& mesh) const {
    to.kind = SolidKind::kMesh;
    to.triangles.reserve(mesh->faces.size());
    for (const std::array<std::int64_t, 3>& face : mesh->faces) {
      to.triangles.push_back(movedBy(to.pose, triangleOf(*mesh, face)));
    }
    to.closed = isClosed(*mesh);
  }
};

}  // namespace

RigidPose rigidPoseOf(const Eigen::Isometry3d& pose) {
  const auto row = [&pose](int r) { return Point{pose(r, 0), pose(r, 1), pose(r, 2)}; };
  return {{row(0), row(1), row(2)}, {pose(0, 3), pose(1, 3), pose(2, 3)}};
}

Solid solidOf(const Shape& shape) {
  checkShape(shape);
  Solid solid{};
  solid.pose = rigidPoseOf(shape.pose);
  std::visit(SolidParts{solid}, shape.solid);
  return solid;
}

std::vector<Solid> solidsOf(const std::vector<Shape>& shapes) {
  std::vector<Solid> solids;
  solids.reserve(shapes.size());
  for (const Shape& shape : shapes) {
    solids.push_back(solidOf(shape));
  }
  return solids;
}

Bounds boundsOf(const Solid& solid) {
  Bounds bounds;
  Point half = {solid.radius, solid.radius, solid.radius};
  switch (solid.kind) {
    case SolidKind::kMesh:
      for (const Triangle& triangle : solid.triangles) {
        for (const Point& corner : triangle) {
          bounds.add(corner);
        }
      }
      return bounds;
    case SolidKind::kSphere:
      bounds.add(solid.pose.p - half);
      bounds.add(solid.pose.p + half);
      return bounds;
    case SolidKind::kBox:
      half = 0.5 * solid.size;
      break;
    case SolidKind::kCylinder:
      half.z = 0.5 * solid.length;
      break;
    case SolidKind::kCapsule:
      half.z += 0.5 * solid.length;
      break;
  }
  const auto reach = [&half](const Point& row) {
    return std::fabs(row.x) * half.x + std::fabs(row.y) * half.y + std::fabs(row.z) * half.z;
  };
  const Point far = {reach(solid.pose.r.x), reach(solid.pose.r.y), reach(solid.pose.r.z)};
  bounds.add(solid.pose.p - far);
  bounds.add(solid.pose.p + far);
  return bounds;
}

double depthIn(const Solid& primitive, const Point& point) {
  const double up = std::fabs(point.z) - 0.5 * primitive.length;
  switch (primitive.kind) {
    case SolidKind::kBox:
      return std::min({0.5 * primitive.size.x - std::fabs(point.x),
                       0.5 * primitive.size.y - std::fabs(point.y),
                       0.5 * primitive.size.z - std::fabs(point.z)});
    case SolidKind::kCylinder:
      return std::min(primitive.radius - std::hypot(point.x, point.y), -up);
    case SolidKind::kSphere:
    case SolidKind::kCapsule:
    case SolidKind::kMesh:
      break;
  }
  const double beyond = std::max(up, 0.0);
  return primitive.radius - std::sqrt(point.x * point.x + point.y * point.y + beyond * beyond);
}

std::array<Point, 8> boxCorners(const Point& size) {
  std::array<Point, 8> corners{};
  for (std::size_t k = 0; k < corners.size(); ++k) {
    corners.at(k) = {(k & 1U) != 0 ? 0.5 * size.x : -0.5 * size.x,
                     (k & 2U) != 0 ? 0.5 * size.y : -0.5 * size.y,
                     (k & 4U) != 0 ? 0.5 * size.z : -0.5 * size.z};
  }
  return corners;
}

std::vector<Point> spreadDirections(int count) {
  std::vector<Point> directions;
  for (int k = 0; k < count; ++k) {
    const double up = 1.0 - (2.0 * k + 1.0) / count;
    const double angle = kPi * (1.0 + std::sqrt(5.0)) * k;
    const double flat = std::sqrt(1.0 - up * up);
    directions.push_back({flat * std::cos(angle), flat * std::sin(angle), up});
  }
  return directions;
}

}  // namespace generative_ik::collision::building

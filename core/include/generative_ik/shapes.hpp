/// Solid shapes: what links and obstacles are made of.
#pragma once

#include <Eigen/Geometry>
#include <array>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

namespace generative_ik {

/// A box around its frame's origin.
struct Box {
  Eigen::Vector3d size;  ///< Lengths along x, y and z, above 0 [m].
};

/// A ball around its frame's origin.
struct Sphere {
  double radius;  ///< Above 0 [m].
};

/// A cylinder around its frame's z axis, half of it above and half below the origin.
struct Cylinder {
  double radius;  ///< Above 0 [m].
  double length;  ///< Along z, above 0 [m].
};

/// All points within `radius` of a line along z, half of it above and half below the origin.
struct Capsule {
  double radius;  ///< Above 0 [m].
  double length;  ///< Of the line, without the caps; above 0 [m].
};

/// Triangles; what a watertight mesh encloses belongs to it. How its faces are wound makes no
/// difference: those that point the wrong way are flipped, and degenerate ones are left out. If
/// what looks watertight has no consistent winding, it is a surface only.
struct Mesh {
  std::vector<Eigen::Vector3d> vertices;           ///< [m]
  std::vector<std::array<std::int64_t, 3>> faces;  ///< Indices of vertices; at least one face.
};

/// A solid in the frame of what it belongs to: a link, or the base of a robot.
struct Shape {
  /// A mesh may be that of many shapes; it is not null.
  std::variant<Box, Sphere, Cylinder, Capsule, std::shared_ptr<const Mesh>> solid;
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();  ///< The shape's own frame [m].
};

/// Larger sizes and coordinates are taken for mistakes [m].
inline constexpr double kLargestSize = 1e4;
/// Faces of a mesh at most.
inline constexpr std::int64_t kMostFaces = 2'000'000;

/// Throws std::invalid_argument, saying why, if a length is not above 0, a number is not finite or
/// too large, a pose is no rigid transform, a face names a vertex that does not exist, or there
/// are no or too many faces.
void checkShape(const Shape& shape);

}  // namespace generative_ik

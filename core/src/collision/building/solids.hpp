/// Shapes as bodies are built of them: placed, and meshes repaired.
#pragma once

#include <generative_ik/shapes.hpp>
#include <vector>

#include "triangles.hpp"

namespace generative_ik::collision::building {

enum class SolidKind { kBox, kSphere, kCylinder, kCapsule, kMesh };

/// A shape in the frame of its body.
struct Solid {
  SolidKind kind;
  RigidPose pose;
  Point size;                       ///< of boxes [m]
  double radius;                    ///< of round solids [m]
  double length;                    ///< of cylinders, and of the lines of capsules [m]
  std::vector<Triangle> triangles;  ///< of meshes, in the frame of the body [m]
  bool closed;                      ///< of meshes: whether the surface is watertight
};

/// Checks a shape, and takes it apart. Meshes are taken to be repaired (`repairedFaces`).
Solid solidOf(const Shape& shape);
std::vector<Solid> solidsOf(const std::vector<Shape>& shapes);

/// A box around a solid, in the frame of the body.
Bounds boundsOf(const Solid& solid);

/// How deep a point in the frame of a primitive lies in it; below 0 outside [m].
double depthIn(const Solid& primitive, const Point& point);

/// Corners of a box: x changes first, z last.
std::array<Point, 8> boxCorners(const Point& size);

/// Unit vectors that are spread evenly: along a spiral with golden angles between them.
std::vector<Point> spreadDirections(int count);

RigidPose rigidPoseOf(const Eigen::Isometry3d& pose);

}  // namespace generative_ik::collision::building

/// What the surface of a mesh encloses: winding, connected parts, which of them are closed.
#pragma once

#include <array>
#include <cstdint>
#include <generative_ik/shapes.hpp>
#include <vector>

#include "triangles.hpp"

namespace generative_ik::collision::building {

using Face = std::array<std::int64_t, 3>;

Triangle triangleOf(const Mesh& mesh, const Face& face);

/// Whether triangles have no area but for rounding: corners on a line.
bool isDegenerate(const Triangle& triangle);

/// Whether a mesh is watertight: each edge is passed as often one way as the other. Vertices at
/// the same place are one, here and below.
bool isClosed(const Mesh& mesh);

/// Faces with a consistent winding.
struct Repaired {
  std::vector<Face> faces;
  /// Whether a part has none, although each of its edges has two faces, or four, and so on. The
  /// inside of such a part is not known.
  bool unsure;
};

/// Leaves out degenerate faces, and gives the others a consistent winding.
///
/// Faces are flipped in parts of a mesh that are closed if all have the same side outwards: the
/// side that most have, by area. Degenerate faces stay only where a part is not closed without
/// them, or where no others are.
Repaired repairedFaces(const Mesh& mesh);

/// The connected parts of a mesh. A part is closed if along every edge as many of its faces run
/// one way as the other.
struct MeshParts {
  std::vector<Point> points;     ///< a vertex of each part [m]
  std::vector<Triangle> closed;  ///< triangles of all parts that are closed [m]
};

MeshParts partsOf(const Mesh& mesh);

/// Whether closed surfaces wind around a point, by the solid angles of their triangles (A. van
/// Oosterom and J. Strackee, "The solid angle of a plane triangle", 1983). A hollow whose surface
/// faces into it is not inside, and parts may overlap.
bool windsAround(const std::vector<Triangle>& triangles, const Point& point);

}  // namespace generative_ik::collision::building

/// Bodies in convex pieces, for distances between the shapes themselves.
#pragma once

#include <array>
#include <cstdint>
#include <generative_ik/shapes.hpp>
#include <vector>

#include "ball_tree.hpp"
#include "solids.hpp"
#include "triangles.hpp"

namespace generative_ik::collision::building {

/// Convex pieces; see convex_distance.hpp.
struct ConvexPieces {
  [[nodiscard]] std::size_t count() const { return around.size(); }
  void add(const std::vector<Point>& corners, double how_far_around, double cylinder_radius,
           const std::array<std::int64_t, 2>& triangles);

  std::vector<Point> points;             ///< of one after the other; of cylinders the middle of
                                         ///< the axis and an end [m]
  std::vector<std::size_t> first = {0};  ///< where those of each begin, and where all end
  std::vector<double> around;            ///< how far a piece reaches around their hull [m]
  std::vector<double> radius;            ///< of cylinders [m]; 0 of other pieces
  /// Number of triangles that a piece is the hull of, and the first of them.
  std::vector<std::array<std::int64_t, 2>> inside;
};

/// A body in its own frame.
struct Surface {
  PackedTree tree;                  ///< spheres around its pieces
  std::vector<std::int64_t> nodes;  ///< of the pieces: leaves, or above these for hulls of several
  ConvexPieces pieces;
  std::vector<Triangle> triangles;  ///< those in hulls [m]
};

/// The surface of the body that shapes make. Throws as `bodyOf`.
Surface surfaceOf(const std::vector<Shape>& shapes);

/// The surface of a body that is the leaves of its cover.
Surface surfaceOf(const PackedTree& cover);

/// The piece that a primitive is; throws std::invalid_argument for meshes.
ConvexPieces pieceOf(const Solid& primitive);

}  // namespace generative_ik::collision::building

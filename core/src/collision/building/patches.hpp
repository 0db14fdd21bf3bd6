/// Surfaces of shapes as many small convex patches.
#pragma once

#include <cstdint>
#include <vector>

#include "solids.hpp"
#include "triangles.hpp"

namespace generative_ik::collision::building {

/// About as many patches as a surface is cut into.
inline constexpr std::int64_t kPatches = 16'000;
/// Patches beyond the triangles of a mesh at which cutting ends.
inline constexpr std::int64_t kMostPieces = 4 * kPatches;

/// A surface, cut into patches.
struct Patches {
  std::vector<Triangle> points;     ///< of the surface itself, a triangle to each patch [m]
  std::vector<Point> corners;       ///< points whose convex hull contains a patch, one by one [m]
  std::vector<std::int64_t> first;  ///< where the corners of each patch begin, and where all end
};

/// Cuts the surfaces of solids, in the frame that they are placed in.
Patches patchesOf(const std::vector<Solid>& solids);

}  // namespace generative_ik::collision::building

#include "surface.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "halving.hpp"
#include "hull.hpp"
#include "patches.hpp"
#include "point_table.hpp"

namespace generative_ik::collision::building {
namespace {

// Triangles longer than this share of a mesh are cut, for what is around them is large.
constexpr double kLong = 0.2;
// Triangles in a hull, or a few more or less.
constexpr double kTogether = 16.0;
// Corners of a hull above others at most: with more, it takes longer to compare than what is in
// it; and points that it is looked for of.
constexpr std::size_t kMostCorners = 512;
constexpr std::size_t kMostPoints = 1024;

void addPrimitive(const Solid& solid, ConvexPieces& pieces) {
  const Point half = {0.0, 0.0, 0.5 * solid.length};
  const auto placed = [&solid](const Point& p) { return moved(solid.pose, p); };
  switch (solid.kind) {
    case SolidKind::kBox: {
      std::vector<Point> corners;
      for (const Point& corner : boxCorners(solid.size)) {
        corners.push_back(placed(corner));
      }
      pieces.add(corners, 0.0, 0.0, {0, 0});
      return;
    }
    case SolidKind::kSphere:
      pieces.add({solid.pose.p}, solid.radius, 0.0, {0, 0});
      return;
    case SolidKind::kCapsule:
      pieces.add({placed(-half), placed(half)}, solid.radius, 0.0, {0, 0});
      return;
    case SolidKind::kCylinder:
      pieces.add({solid.pose.p, placed(half)}, 0.0, solid.radius, {0, 0});
      return;
    case SolidKind::kMesh:
      break;
  }
  throw std::invalid_argument("a mesh is no convex piece");
}

// Adds hulls of neighbouring triangles; returns these in the order of the hulls.
std::vector<Triangle> addHulls(const std::vector<Triangle>& triangles, ConvexPieces& pieces) {
  const double count = static_cast<double>(triangles.size());
  const int times = std::max(0, static_cast<int>(std::lround(std::log2(count / kTogether))));
  std::vector<Point> middles;
  std::vector<double> weights;
  for (const Triangle& triangle : triangles) {
    middles.push_back(middleOf(triangle));
    weights.push_back(areaOf(triangle) + 1e-12);
  }
  const std::vector<std::int64_t> group = halved(middles, weights, times);
  std::vector<std::vector<std::size_t>> members(std::size_t{1} << static_cast<unsigned>(times));
  for (std::size_t k = 0; k < group.size(); ++k) {
    members[static_cast<std::size_t>(group[k])].push_back(k);
  }
  std::vector<Triangle> ordered;
  for (const std::vector<std::size_t>& some : members) {
    if (some.empty()) {
      continue;
    }
    std::vector<Point> corners;
    const auto first = static_cast<std::int64_t>(ordered.size());
    for (const std::size_t k : some) {
      corners.insert(corners.end(), triangles[k].begin(), triangles[k].end());
      ordered.push_back(triangles[k]);
    }
    pieces.add(uniquePoints(corners), 0.0, 0.0, {static_cast<std::int64_t>(some.size()), first});
  }
  return ordered;
}

// Spheres that contain pieces.
std::vector<Sphere> spheresAround(const ConvexPieces& pieces) {
  std::vector<Sphere> spheres;
  for (std::size_t k = 0; k < pieces.count(); ++k) {
    const Point* points = pieces.points.data() + pieces.first[k];
    const std::size_t count = pieces.first[k + 1] - pieces.first[k];
    if (pieces.radius[k] > 0.0) {
      spheres.push_back({points[0], std::hypot(between(points[0], points[1]), pieces.radius[k])});
      continue;
    }
    Bounds bounds;
    for (std::size_t i = 0; i < count; ++i) {
      bounds.add(points[i]);
    }
    double far = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      far = std::max(far, between(points[i], bounds.middle()));
    }
    spheres.push_back({bounds.middle(), far + pieces.around[k]});
  }
  return spheres;
}

// Adds hulls for the nodes above leaves, level by level, as long as they have few corners.
void addHullsAbove(std::vector<std::int64_t> slots, int depth, Surface& surface) {
  std::vector<std::vector<Point>> below(std::size_t{1} << static_cast<unsigned>(3 * depth));
  for (std::size_t k = 0; k < slots.size(); ++k) {
    const ConvexPieces& pieces = surface.pieces;
    below[static_cast<std::size_t>(slots[k])].assign(
        pieces.points.begin() + static_cast<std::ptrdiff_t>(pieces.first[k]),
        pieces.points.begin() + static_cast<std::ptrdiff_t>(pieces.first[k + 1]));
  }
  std::vector<bool> without(below.size());  // a hull, although there are points
  for (int level = depth - 1; level >= 0; --level) {
    std::vector<std::vector<Point>> hulls(below.size() / kSiblings);
    std::vector<bool> hulls_without(hulls.size());
    for (std::size_t node = 0; node < hulls.size(); ++node) {
      std::vector<Point> points;
      bool whole = true;
      for (std::size_t k = kSiblings * node; k < kSiblings * (node + 1); ++k) {
        points.insert(points.end(), below[k].begin(), below[k].end());
        whole = whole && !without[k];
      }
      if (whole && !points.empty()) {
        points = uniquePoints(points);
        hulls[node] = points.size() <= kMostPoints ? hullCorners(points) : points;
        whole = hulls[node].size() <= kMostCorners;
      }
      hulls_without[node] = !whole;
      if (whole && !points.empty()) {
        surface.pieces.add(hulls[node], 0.0, 0.0, {0, 0});
        surface.nodes.push_back(firstNode(level) + static_cast<std::int64_t>(node));
      }
    }
    below = std::move(hulls);
    without = std::move(hulls_without);
  }
}

}  // namespace

void ConvexPieces::add(const std::vector<Point>& corners, double how_far_around,
                       double cylinder_radius, const std::array<std::int64_t, 2>& triangles) {
  points.insert(points.end(), corners.begin(), corners.end());
  first.push_back(points.size());
  around.push_back(how_far_around);
  radius.push_back(cylinder_radius);
  inside.push_back(triangles);
}

Surface surfaceOf(const std::vector<Shape>& shapes) {
  if (shapes.empty()) {
    throw std::invalid_argument("a body needs at least one shape");
  }
  Surface surface;
  std::vector<Triangle> triangles;
  for (const Solid& solid : solidsOf(shapes)) {
    if (solid.kind == SolidKind::kMesh) {
      const double longest = kLong * lengthOf(boundsOf(solid).extent());
      const std::vector<Triangle> cut = subdivided(solid.triangles, longest);
      triangles.insert(triangles.end(), cut.begin(), cut.end());
    } else {
      addPrimitive(solid, surface.pieces);
    }
  }
  // A ball or a cylinder is more than the hull of its points.
  const bool only_hulls = surface.pieces.count() == 0;
  if (!triangles.empty()) {
    surface.triangles = addHulls(triangles, surface.pieces);
  }
  const std::vector<Sphere> spheres = spheresAround(surface.pieces);
  surface.tree = treeOver(spheres);
  const std::vector<std::int64_t> slots = leavesOf(spheres);
  const int depth = depthFor(static_cast<std::int64_t>(spheres.size()));
  for (const std::int64_t slot : slots) {
    surface.nodes.push_back(firstNode(depth) + slot);
  }
  if (only_hulls) {
    addHullsAbove(slots, depth, surface);
  }
  return surface;
}

Surface surfaceOf(const PackedTree& cover) {
  Surface surface;
  surface.tree = cover;
  const SphereTree tree = cover.view();
  for (std::int64_t node = kRoot; node < kSiblings * tree.groups; ++node) {
    const Sphere sphere = sphereOf(tree, node);
    if (groupBelow(node) >= tree.groups && isThere(sphere)) {
      surface.pieces.add({sphere.centre}, sphere.radius, 0.0, {0, 0});
      surface.nodes.push_back(node);
    }
  }
  return surface;
}

ConvexPieces pieceOf(const Solid& primitive) {
  ConvexPieces pieces;
  addPrimitive(primitive, pieces);
  return pieces;
}

}  // namespace generative_ik::collision::building

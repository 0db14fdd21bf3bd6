#include "patches.hpp"

#include <algorithm>
#include <cmath>

namespace generative_ik::collision::building {
namespace {

// The triangles of a box by its corners, two a side, counter-clockwise from outside.
constexpr std::array<std::array<std::size_t, 3>, 12> kBoxSides = {{{0, 2, 1},
                                                                   {1, 2, 3},
                                                                   {4, 5, 6},
                                                                   {5, 7, 6},
                                                                   {0, 1, 4},
                                                                   {1, 5, 4},
                                                                   {2, 6, 3},
                                                                   {3, 6, 7},
                                                                   {0, 4, 2},
                                                                   {2, 4, 6},
                                                                   {1, 3, 5},
                                                                   {3, 7, 5}}};
// Pieces around a rim, and along a side, at least and at most.
constexpr int kFewestAround = 16;
constexpr int kMostInRow = 1000;

double surfaceArea(const Solid& solid) {
  const Point& s = solid.size;
  double area = 0.0;
  switch (solid.kind) {
    case SolidKind::kBox:
      return 2.0 * (s.x * s.y + s.y * s.z + s.z * s.x);
    case SolidKind::kSphere:
      return 4.0 * kPi * solid.radius * solid.radius;
    case SolidKind::kCylinder:
      return 2.0 * kPi * solid.radius * (solid.radius + solid.length);
    case SolidKind::kCapsule:
      return 2.0 * kPi * solid.radius * (2.0 * solid.radius + solid.length);
    case SolidKind::kMesh:
      for (const Triangle& triangle : solid.triangles) {
        area += areaOf(triangle);
      }
      return area;
  }
  return area;
}

double extentOf(const Solid& solid) {
  switch (solid.kind) {
    case SolidKind::kBox:
      return std::max({solid.size.x, solid.size.y, solid.size.z});
    case SolidKind::kCylinder:
      return std::max(2.0 * solid.radius, solid.length);
    case SolidKind::kSphere:
    case SolidKind::kCapsule:
      return 2.0 * solid.radius + solid.length;
    case SolidKind::kMesh:
      break;
  }
  const Point extent = boundsOf(solid).extent();
  return std::max({extent.x, extent.y, extent.z});
}

// The length of a patch's longest edge [m].
double spacing(const std::vector<Solid>& solids) {
  double area = 0.0;
  double extent = 0.0;
  for (const Solid& solid : solids) {
    area += surfaceArea(solid);
    extent = std::max(extent, extentOf(solid));
  }
  return std::max(
      {std::sqrt(area / (static_cast<double>(kPatches) / 5.0)), extent / 1000.0, 1e-6});
}

/// Cuts the surface of one solid after the other.
class Cutter {
 public:
  explicit Cutter(double finest) : finest_(finest) { made_.first.push_back(0); }

  void cut(const Solid& solid) {
    pose_ = solid.pose;
    switch (solid.kind) {
      case SolidKind::kBox:
        box(solid.size);
        break;
      case SolidKind::kSphere:
        ball(solid.radius, 0.0, 0);
        break;
      case SolidKind::kCylinder:
        side(solid.radius, solid.length);
        disc(solid.radius, -0.5 * solid.length);
        disc(solid.radius, 0.5 * solid.length);
        break;
      case SolidKind::kCapsule:
        side(solid.radius, solid.length);
        ball(solid.radius, -0.5 * solid.length, -1);
        ball(solid.radius, 0.5 * solid.length, 1);
        break;
      case SolidKind::kMesh:
        for (const Triangle& triangle : subdivided(solid.triangles, finest_)) {
          made_.points.push_back(triangle);
          made_.corners.insert(made_.corners.end(), triangle.begin(), triangle.end());
          made_.first.push_back(static_cast<std::int64_t>(made_.corners.size()));
        }
        break;
    }
  }

  Patches take() { return std::move(made_); }

 private:
  // Corners and points are in the frame of the solid.
  template <class Corners>
  void add(const Triangle& points, const Corners& corners) {
    made_.points.push_back(movedBy(pose_, points));
    for (const Point& corner : corners) {
      made_.corners.push_back(moved(pose_, corner));
    }
    made_.first.push_back(static_cast<std::int64_t>(made_.corners.size()));
  }

  void addFlat(std::vector<Triangle> triangles) {
    for (const Triangle& triangle : subdivided(std::move(triangles), finest_)) {
      add(triangle, triangle);
    }
  }

  void box(const Point& size) {
    const std::array<Point, 8> corners = boxCorners(size);
    std::vector<Triangle> triangles;
    for (const std::array<std::size_t, 3>& face : kBoxSides) {
      triangles.push_back({corners.at(face[0]), corners.at(face[1]), corners.at(face[2])});
    }
    addFlat(std::move(triangles));
  }

  // The half of a ball on one side, or all of it: spherical triangles, each between two parallel
  // flat ones.
  void ball(double radius, double height, int half) {
    std::vector<Triangle> pieces;
    for (const double x : {1.0, -1.0}) {
      for (const double y : {1.0, -1.0}) {
        for (const double z : {1.0, -1.0}) {
          if (half == 0 || z == half) {
            pieces.push_back({Point{x, 0.0, 0.0}, Point{0.0, y, 0.0}, Point{0.0, 0.0, z}});
          }
        }
      }
    }
    while (longestFirstEdge(pieces) * radius > finest_) {
      pieces = quarters(pieces);
      if (static_cast<std::int64_t>(pieces.size()) > kPatches) {
        break;
      }
    }
    const Point up = {0.0, 0.0, height};
    for (const Triangle& piece : pieces) {
      const Point normal = normalOf(piece);
      const double gap = std::fabs(dot(normal, piece[0])) / lengthOf(normal);
      std::array<Point, 6> corners{};
      Triangle points{};
      for (std::size_t k = 0; k < 3; ++k) {
        points.at(k) = corners.at(k) = radius * piece.at(k) + up;
        corners.at(k + 3) = (radius / gap) * piece.at(k) + up;
      }
      add(points, corners);
    }
  }

  static double longestFirstEdge(const std::vector<Triangle>& pieces) {
    double longest = 0.0;
    for (const Triangle& piece : pieces) {
      longest = std::max(longest, between(piece[0], piece[1]));
    }
    return longest;
  }

  static std::vector<Triangle> quarters(const std::vector<Triangle>& pieces) {
    std::vector<Triangle> made;
    made.reserve(4 * pieces.size());
    const auto unit = [](const Point& p) { return (1.0 / lengthOf(p)) * p; };
    for (const auto& [a, b, c] : pieces) {
      const Point ab = unit(a + b);
      const Point bc = unit(b + c);
      const Point ca = unit(c + a);
      made.push_back({a, ab, ca});
      made.push_back({ab, b, bc});
      made.push_back({ca, bc, c});
      made.push_back({ab, bc, ca});
    }
    return made;
  }

  [[nodiscard]] int piecesAlong(double length, int fewest) const {
    return std::clamp(static_cast<int>(std::min(std::ceil(length / finest_), 1e6)), fewest,
                      kMostInRow);
  }

  // Points on a circle, and where the tangents at neighbours meet.
  static std::vector<Point> rim(double radius, int around, double turned, double z) {
    std::vector<Point> points;
    for (int k = 0; k < around; ++k) {
      const double angle = 2.0 * kPi * k / around + turned;
      points.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
    }
    return points;
  }

  // Bent rectangles, each inside a prism of three sides.
  void side(double radius, double length) {
    const int around = piecesAlong(2.0 * kPi * radius, kFewestAround);
    const int up = piecesAlong(length, 1);
    const double half = kPi / around;
    const std::vector<Point> on = rim(radius, around, 0.0, 0.0);
    const std::vector<Point> tips = rim(radius / std::cos(half), around, half, 0.0);
    for (int level = 0; level < up; ++level) {
      const Point low = {0.0, 0.0, -0.5 * length + length * level / up};
      const Point high = {0.0, 0.0, -0.5 * length + length * (level + 1) / up};
      for (std::size_t k = 0; k < on.size(); ++k) {
        const Point& next = on[(k + 1) % on.size()];
        add({on[k] + low, next + low, on[k] + high},
            std::array<Point, 6>{on[k] + low, next + low, tips[k] + low, on[k] + high, next + high,
                                 tips[k] + high});
      }
    }
  }

  // Triangles, of which the outermost contain the pieces of the rim.
  void disc(double radius, double z) {
    const int around = piecesAlong(2.0 * kPi * radius, kFewestAround);
    const double half = kPi / around;
    const std::vector<Point> on = rim(radius, around, 0.0, z);
    const std::vector<Point> tips = rim(radius / std::cos(half), around, half, z);
    std::vector<Triangle> inside;
    for (std::size_t k = 0; k < on.size(); ++k) {
      const Point& next = on[(k + 1) % on.size()];
      inside.push_back({Point{0.0, 0.0, z}, on[k], next});
      add({on[k], next, 0.5 * (on[k] + next)}, Triangle{on[k], next, tips[k]});
    }
    addFlat(std::move(inside));
  }

  double finest_;
  RigidPose pose_{};
  Patches made_;
};

}  // namespace

Patches patchesOf(const std::vector<Solid>& solids) {
  Cutter cutter(spacing(solids));
  for (const Solid& solid : solids) {
    cutter.cut(solid);
  }
  return cutter.take();
}

}  // namespace generative_ik::collision::building

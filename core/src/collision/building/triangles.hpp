/// Triangles, and what is measured of them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../rigid_pose.hpp"

namespace generative_ik::collision::building {

using Triangle = std::array<Point, 3>;

inline double squared(const Point& v) {
  return dot(v, v);
}

inline double between(const Point& a, const Point& b) {
  return std::sqrt(squared(b - a));
}

inline Point normalOf(const Triangle& t) {
  return cross(t[1] - t[0], t[2] - t[0]);
}

inline double areaOf(const Triangle& t) {
  return 0.5 * std::sqrt(squared(normalOf(t)));
}

inline Point middleOf(const Triangle& t) {
  return (1.0 / 3.0) * (t[0] + t[1] + t[2]);
}

inline Triangle movedBy(const RigidPose& pose, const Triangle& t) {
  return {moved(pose, t[0]), moved(pose, t[1]), moved(pose, t[2])};
}

/// A coordinate: x, y or z.
inline double along(const Point& p, int axis) {
  return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

/// A box along the axes, empty at first.
struct Bounds {
  Point low{kInfinity, kInfinity, kInfinity};
  Point high{-kInfinity, -kInfinity, -kInfinity};

  void add(const Point& p) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  [[nodiscard]] Point extent() const { return high - low; }
  [[nodiscard]] Point middle() const { return 0.5 * (low + high); }
  [[nodiscard]] int longest() const {
    const Point e = extent();
    return e.x >= e.y && e.x >= e.z ? 0 : e.y >= e.z ? 1 : 2;
  }
  [[nodiscard]] double squaredDistance(const Point& p) const {
    const Point out = {std::max({low.x - p.x, p.x - high.x, 0.0}),
                       std::max({low.y - p.y, p.y - high.y, 0.0}),
                       std::max({low.z - p.z, p.z - high.z, 0.0})};
    return squared(out);
  }
};

/// Halves triangles at their longest edges until none is longer than `finest` [m], or there are
/// `kMostPieces` more than there were.
std::vector<Triangle> subdivided(std::vector<Triangle> triangles, double finest);

/// Triangles in a tree of boxes, for distances from points.
class TriangleTree {
 public:
  /// There is at least one.
  explicit TriangleTree(const std::vector<Triangle>& triangles);

  /// The distance of the nearest triangle [m]. `nearest` is where the search begins, and becomes
  /// which one it is: of points near each other the next takes less time then.
  [[nodiscard]] double distance(const Point& point, std::int64_t& nearest) const;

 private:
  struct Node {
    Bounds bounds;
    std::int64_t first = 0;  // of its triangles, or of its two children
    std::int64_t count = 0;  // of triangles; 0: it has children
  };
  void build(std::int64_t node, std::int64_t first, std::int64_t last,
             std::vector<std::int64_t>& order, const std::vector<Point>& middles,
             const std::vector<Triangle>& triangles);

  /// The plane of a triangle: no point is nearer to it than to that.
  struct Plane {
    Point normal;  // of unit length, or 0
    double offset;
  };

  std::vector<Triangle> triangles_;
  std::vector<Plane> planes_;
  std::vector<Node> nodes_;
};

}  // namespace generative_ik::collision::building

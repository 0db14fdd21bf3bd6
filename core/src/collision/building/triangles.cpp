#include "triangles.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "patches.hpp"

namespace generative_ik::collision::building {
namespace {

constexpr std::int64_t kTrianglesOfLeaf = 4;
// Levels of a tree of boxes, which is halved by number, at most, and one box more for each.
constexpr std::size_t kBoxes = 96;

double squaredFromSegment(const Point& p, const Point& a, const Point& b) {
  const Point way = b - a;
  const double whole = squared(way);
  const double share = whole > 0.0 ? std::clamp(dot(p - a, way) / whole, 0.0, 1.0) : 0.0;
  return squared(a + share * way - p);
}

double squaredFromTriangle(const Point& p, const Triangle& t) {
  const Point normal = normalOf(t);
  const double whole = squared(normal);
  const auto inside = [&](const Point& a, const Point& b) {
    return dot(cross(b - a, p - a), normal) >= 0.0;
  };
  if (whole > 0.0 && inside(t[0], t[1]) && inside(t[1], t[2]) && inside(t[2], t[0])) {
    const double height = dot(p - t[0], normal);
    return height * height / whole;
  }
  return std::min({squaredFromSegment(p, t[0], t[1]), squaredFromSegment(p, t[1], t[2]),
                   squaredFromSegment(p, t[2], t[0])});
}

}  // namespace

std::vector<Triangle> subdivided(std::vector<Triangle> triangles, double finest) {
  const std::size_t most = triangles.size() + static_cast<std::size_t>(kMostPieces);
  std::vector<Triangle> done;
  std::vector<std::pair<Triangle, std::size_t>> cut;  // and the first corner of the longest edge
  while (!triangles.empty()) {
    cut.clear();
    for (const Triangle& t : triangles) {
      const std::array<double, 3> edges = {squared(t[1] - t[0]), squared(t[2] - t[1]),
                                           squared(t[0] - t[2])};
      const auto longest =
          static_cast<std::size_t>(std::max_element(edges.begin(), edges.end()) - edges.begin());
      if (edges.at(longest) > finest * finest) {
        cut.emplace_back(t, longest);
      } else {
        done.push_back(t);
      }
    }
    triangles.clear();
    const bool too_many = done.size() + 2 * cut.size() > most;
    for (const auto& [t, first] : cut) {
      if (too_many) {
        done.push_back(t);
        continue;
      }
      const Point a = t.at(first);
      const Point b = t.at((first + 1) % 3);
      const Point c = t.at((first + 2) % 3);
      const Point middle = 0.5 * (a + b);
      triangles.push_back({a, middle, c});
      triangles.push_back({middle, b, c});
    }
  }
  return done;
}

TriangleTree::TriangleTree(const std::vector<Triangle>& triangles) {
  std::vector<std::int64_t> order(triangles.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::vector<Point> middles;
  middles.reserve(triangles.size());
  for (const Triangle& t : triangles) {
    middles.push_back(middleOf(t));
  }
  nodes_.emplace_back();
  build(0, 0, static_cast<std::int64_t>(triangles.size()), order, middles, triangles);
  triangles_.reserve(triangles.size());
  for (const std::int64_t k : order) {
    triangles_.push_back(triangles[static_cast<std::size_t>(k)]);
    const Point normal = normalOf(triangles_.back());
    const double length = lengthOf(normal);
    const Point unit = (length > 0.0 ? 1.0 / length : 0.0) * normal;
    planes_.push_back({unit, dot(unit, triangles_.back()[0])});
  }
}

void TriangleTree::build(std::int64_t node, std::int64_t first, std::int64_t last,
                         std::vector<std::int64_t>& order, const std::vector<Point>& middles,
                         const std::vector<Triangle>& triangles) {
  Bounds bounds;
  Bounds spread;
  for (std::int64_t k = first; k < last; ++k) {
    const auto which = static_cast<std::size_t>(order[static_cast<std::size_t>(k)]);
    for (const Point& corner : triangles[which]) {
      bounds.add(corner);
    }
    spread.add(middles[which]);
  }
  if (last - first <= kTrianglesOfLeaf) {
    nodes_[static_cast<std::size_t>(node)] = {bounds, first, last - first};
    return;
  }
  const int axis = spread.longest();
  const std::int64_t half = (first + last) / 2;
  std::nth_element(order.begin() + first, order.begin() + half, order.begin() + last,
                   [&](std::int64_t a, std::int64_t b) {
                     const double x = along(middles[static_cast<std::size_t>(a)], axis);
                     const double y = along(middles[static_cast<std::size_t>(b)], axis);
                     return x < y || (x == y && a < b);
                   });
  const auto below = static_cast<std::int64_t>(nodes_.size());
  nodes_[static_cast<std::size_t>(node)] = {bounds, below, 0};
  nodes_.resize(nodes_.size() + 2);
  build(below, first, half, order, middles, triangles);
  build(below + 1, half, last, order, middles, triangles);
}

double TriangleTree::distance(const Point& point, std::int64_t& nearest) const {
  double best = squaredFromTriangle(point, triangles_[static_cast<std::size_t>(nearest)]);
  struct Open {
    std::int64_t node;
    double gap;
  };
  std::array<Open, kBoxes> stack{};
  std::size_t top = 0;
  stack.at(top++) = {0, nodes_[0].bounds.squaredDistance(point)};
  while (top > 0) {
    const Open open = stack.at(--top);
    if (open.gap >= best) {
      continue;
    }
    const Node& node = nodes_[static_cast<std::size_t>(open.node)];
    for (std::int64_t k = node.first; k < node.first + node.count; ++k) {
      const Plane& plane = planes_[static_cast<std::size_t>(k)];
      const double height = dot(plane.normal, point) - plane.offset;
      if (height * height >= best) {
        continue;
      }
      const double gap = squaredFromTriangle(point, triangles_[static_cast<std::size_t>(k)]);
      if (gap < best) {
        best = gap;
        nearest = k;
      }
    }
    if (node.count == 0) {
      const auto child = static_cast<std::size_t>(node.first);
      Open near = {node.first, nodes_[child].bounds.squaredDistance(point)};
      Open far = {node.first + 1, nodes_[child + 1].bounds.squaredDistance(point)};
      if (far.gap < near.gap) {
        std::swap(near, far);
      }
      stack.at(top++) = far;
      stack.at(top++) = near;
    }
  }
  return std::sqrt(best);
}

}  // namespace generative_ik::collision::building

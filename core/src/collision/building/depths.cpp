#include "depths.hpp"

#include <algorithm>
#include <cmath>

#include "enclosed.hpp"

namespace generative_ik::collision::building {
namespace {

// About as many cells as a grid has, and at most along an axis, but for its margin.
constexpr double kCells = 20'000.0;
constexpr double kMostAlong = 200.0;
// Distances are this share too small, against rounding.
constexpr double kShrunk = 1e-9;

Depths gridOver(const Solid& solid) {
  const Bounds bounds = boundsOf(solid);
  const Point whole = bounds.extent();
  const Point extent = {std::max(whole.x, 1e-6), std::max(whole.y, 1e-6), std::max(whole.z, 1e-6)};
  Depths grid{};
  grid.size = std::max(std::cbrt(extent.x * extent.y * extent.z / kCells),
                       std::max({extent.x, extent.y, extent.z}) / kMostAlong);
  const auto cells = [&](double length) {
    return static_cast<std::int64_t>(std::ceil(length / grid.size)) + 3;
  };
  grid.counts = {cells(extent.x), cells(extent.y), cells(extent.z)};
  // Odd shares of a cell keep centres and rays off the faces and edges of machined parts.
  const auto back = [&](std::size_t axis, double share) {
    return static_cast<double>(grid.counts.at(axis) - 1) / 2.0 + share;
  };
  grid.origin =
      bounds.middle() - grid.size * Point{back(0, 0.0131), back(1, 0.0173), back(2, 0.0097)};
  const auto count = static_cast<std::size_t>(grid.counts[0] * grid.counts[1] * grid.counts[2]);
  grid.depth.assign(count, -grid.size);
  grid.solid = true;
  return grid;
}

template <class Function>
void forCells(const Depths& grid, const Function& function) {
  for (std::int64_t i = 0; i < grid.counts[0]; ++i) {
    for (std::int64_t j = 0; j < grid.counts[1]; ++j) {
      for (std::int64_t k = 0; k < grid.counts[2]; ++k) {
        function(grid.center(i, j, k), grid.index(i, j, k));
      }
    }
  }
}

/// The crossings of a closed surface with lines along z through the cells' centres.
class Crossings {
 public:
  explicit Crossings(const Depths& grid)
      : grid_(grid),
        turns_(static_cast<std::size_t>(grid.counts[0] * grid.counts[1] * (grid.counts[2] + 1))) {}

  void add(const Triangle& triangle) {
    std::array<Flat, 3> corners{};
    for (std::size_t k = 0; k < 3; ++k) {
      const Point at = (1.0 / grid_.size) * (triangle.at(k) - grid_.origin);
      corners.at(k) = {at.x, at.y};
    }
    const auto& [a, b, c] = corners;
    const double twice = cross(minus(b, a), minus(c, a));
    if (!(std::fabs(twice) > 0.0)) {
      return;
    }
    const auto [first_x, last_x] = columns(a.x, b.x, c.x, grid_.counts[0]);
    const auto [first_y, last_y] = columns(a.y, b.y, c.y, grid_.counts[1]);
    for (std::int64_t i = first_x; i < last_x; ++i) {
      for (std::int64_t j = first_y; j < last_y; ++j) {
        const Flat at = {static_cast<double>(i), static_cast<double>(j)};
        const double u = cross(minus(c, b), minus(at, b)) / twice;
        const double v = cross(minus(a, c), minus(at, c)) / twice;
        const double w = cross(minus(b, a), minus(at, a)) / twice;
        if (u >= 0.0 && v >= 0.0 && w >= 0.0) {
          const double height = u * triangle[0].z + v * triangle[1].z + w * triangle[2].z;
          const double level = std::ceil((height - grid_.origin.z) / grid_.size);
          const auto k = static_cast<std::int64_t>(
              std::clamp(level, 0.0, static_cast<double>(grid_.counts[2])));
          turns_[start(i, j) + static_cast<std::size_t>(k)] += twice > 0.0 ? 1 : -1;
        }
      }
    }
  }

  /// Which centres the surface winds around.
  [[nodiscard]] std::vector<bool> inside() const {
    std::vector<bool> found(grid_.depth.size());
    for (std::int64_t i = 0; i < grid_.counts[0]; ++i) {
      for (std::int64_t j = 0; j < grid_.counts[1]; ++j) {
        int turns = 0;
        for (std::int64_t k = 0; k < grid_.counts[2]; ++k) {
          turns += turns_[start(i, j) + static_cast<std::size_t>(k)];
          found[grid_.index(i, j, k)] = turns != 0;
        }
      }
    }
    return found;
  }

 private:
  struct Flat {
    double x, y;
  };
  static Flat minus(const Flat& a, const Flat& b) { return {a.x - b.x, a.y - b.y}; }
  static double cross(const Flat& a, const Flat& b) { return a.x * b.y - a.y * b.x; }

  // The columns of cells whose centres lie in a range.
  static std::pair<std::int64_t, std::int64_t> columns(double a, double b, double c,
                                                       std::int64_t count) {
    const auto last = static_cast<double>(count);
    return {
        static_cast<std::int64_t>(std::clamp(std::ceil(std::min({a, b, c})), 0.0, last)),
        static_cast<std::int64_t>(std::clamp(std::floor(std::max({a, b, c})) + 1.0, 0.0, last))};
  }

  [[nodiscard]] std::size_t start(std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>((i * grid_.counts[1] + j) * (grid_.counts[2] + 1));
  }

  const Depths& grid_;
  std::vector<int> turns_;
};

void measureMesh(const Solid& solid, Depths& grid) {
  grid.solid = solid.closed;
  std::vector<bool> inside;
  if (solid.closed) {
    Crossings crossings(grid);
    for (const Triangle& triangle : solid.triangles) {
      crossings.add(triangle);
    }
    inside = crossings.inside();
  } else {
    inside = enclosedCells(solid.triangles, grid);
  }
  if (std::find(inside.begin(), inside.end(), true) == inside.end()) {
    return;
  }
  const TriangleTree tree(solid.triangles);
  std::int64_t nearest = 0;
  forCells(grid, [&](const Point& center, std::size_t index) {
    if (inside[index]) {
      grid.depth[index] = tree.distance(center, nearest) * (1.0 - kShrunk);
    }
  });
}

}  // namespace

double Depths::at(const Point& point) const {
  const Point place = (1.0 / size) * (point - origin);
  std::array<std::int64_t, 3> low{};
  std::array<std::int64_t, 3> high{};
  std::array<double, 3> share{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t last = counts[axis] - 1;
    const double at = along(place, static_cast<int>(axis));
    const double within = at > 0.0 ? std::min(at, static_cast<double>(last)) : 0.0;  // 0 for NaN
    low[axis] = static_cast<std::int64_t>(within);
    share[axis] = within - static_cast<double>(low[axis]);
    high[axis] = std::min(low[axis] + 1, last);
  }
  const auto edge = [&](std::int64_t i, std::int64_t j) {
    const double* row = depth.data() + index(i, j, 0);
    return row[low[2]] + share[2] * (row[high[2]] - row[low[2]]);
  };
  const auto side = [&](std::int64_t i) {
    const double near = edge(i, low[1]);
    return near + share[1] * (edge(i, high[1]) - near);
  };
  const double near = side(low[0]);
  return near + share[0] * (side(high[0]) - near);
}

std::optional<Depths> depthsOf(const Solid& solid) {
  Depths grid = gridOver(solid);
  if (solid.kind == SolidKind::kMesh) {
    measureMesh(solid, grid);
  } else {
    const RigidPose to_solid = inverted(solid.pose);
    forCells(grid, [&](const Point& center, std::size_t index) {
      grid.depth[index] = std::max(depthIn(solid, moved(to_solid, center)), -grid.size);
    });
  }
  grid.deepest = *std::max_element(grid.depth.begin(), grid.depth.end());
  return grid.deepest > 0.0 ? std::optional(std::move(grid)) : std::nullopt;
}

}  // namespace generative_ik::collision::building

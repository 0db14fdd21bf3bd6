/// How deep points lie inside a solid: distances to its surface on a grid.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "solids.hpp"
#include "triangles.hpp"

namespace generative_ik::collision::building {

/// A grid over a solid, and how deep the cells' centres lie in it.
struct Depths {
  /// Between the cells' centres linear, beyond the outermost ones constant [m].
  [[nodiscard]] double at(const Point& point) const;

  [[nodiscard]] Point center(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return origin +
           size * Point{static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)};
  }
  [[nodiscard]] std::size_t index(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return static_cast<std::size_t>((i * counts[1] + j) * counts[2] + k);
  }

  Point origin;                        ///< centre of the first cell [m]
  double size;                         ///< edge of a cell [m]
  std::array<std::int64_t, 3> counts;  ///< of cells
  /// (counts) at most the distance to the surface for a centre inside; -`size` for most centres
  /// outside, and nowhere less [m].
  std::vector<double> depth;
  /// Whether the inside belongs to the shape: that of a mesh with holes or unjoined seams does
  /// not, but little can get there.
  bool solid;
  double deepest;  ///< the largest depth [m]
};

/// Lays a grid over a solid and computes the depths of its cells; none if it has no inside.
std::optional<Depths> depthsOf(const Solid& solid);

}  // namespace generative_ik::collision::building

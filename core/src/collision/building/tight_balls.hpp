/// Balls around parts of a solid that reach little beyond it: the covers of collision bodies.
#pragma once

#include <cstdint>
#include <vector>

#include "../sphere_tree.hpp"
#include "depths.hpp"

namespace generative_ik::collision::building {

/// Directions in which a group's outermost balls are taken for the group.
inline constexpr int kHullDirections = 48;
const std::vector<Point>& hullDirections();

/// The outermost small balls of a group.
class Outermost {
 public:
  void add(const Sphere& ball);
  void add(const Outermost& other);
  [[nodiscard]] bool empty() const { return along_.empty(); }
  /// Each ball once.
  [[nodiscard]] std::vector<Sphere> balls() const;

 private:
  std::vector<double> along_;  // how far they reach, in each direction [m]
  std::vector<Sphere> balls_;
};

/// The centre of a ball that contains a group of small balls. Of all that do, the one is looked
/// for, by a pattern search, that reaches least beyond what `grids` are of: that is not the
/// smallest. One centred on a flat surface stands out of it by its radius, and one with its centre
/// deep inside, through the same points, hardly at all. Without grids the smallest is looked for.
Point tightCentre(std::vector<Sphere> outermost, const std::vector<Depths>& grids);

/// A radius that rounding makes no smaller than what a ball has to contain.
double grown(double radius);

/// The ball that each point is deepest in or least outside of. Balls are in groups of eight
/// neighbours; those that are not there are left out, and at least one is.
std::vector<std::int64_t> ballsAt(const std::vector<Point>& points,
                                  const std::vector<Sphere>& balls);

}  // namespace generative_ik::collision::building

#include "hull.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace generative_ik::collision::building {
namespace {

// So few points are searched as fast as their corners.
constexpr std::size_t kFew = 8;
// What is no further outside of a face than this share of the extent is not outside; and how far
// a point may be outside in the end.
constexpr double kFlat = 1e-11;
constexpr double kTolerance = 1e-9;

/// The hull of points (C. B. Barber, D. P. Dobkin and H. Huhdanpaa, "The Quickhull algorithm for
/// convex hulls", 1996).
class Quickhull {
 public:
  explicit Quickhull(const std::vector<Point>& points) : points_(points) {
    Bounds bounds;
    for (const Point& point : points) {
      bounds.add(point);
    }
    extent_ = lengthOf(bounds.extent());
  }

  /// False if the points are flat, or rounding leaves one outside.
  bool build() {
    if (!begin()) {
      return false;
    }
    for (std::size_t f = 0; f < faces_.size(); ++f) {
      // Faces that are made go to the end, and come later.
      if (faces_[f].alive && !faces_[f].outside.empty() && !extend(f)) {
        return false;
      }
    }
    faces_.erase(std::remove_if(faces_.begin(), faces_.end(),
                                [](const Facet& face) { return !face.alive; }),
                 faces_.end());
    return std::all_of(points_.begin(), points_.end(), [this](const Point& point) {
      return std::all_of(faces_.begin(), faces_.end(), [&](const Facet& face) {
        return face.above(point) <= kTolerance * extent_;
      });
    });
  }

  [[nodiscard]] std::vector<Point> corners() const {
    std::vector<bool> is_corner(points_.size(), false);
    for (const Facet& face : faces_) {
      for (const std::size_t corner : face.corners) {
        is_corner[corner] = true;
      }
    }
    std::vector<Point> found;
    for (std::size_t k = 0; k < points_.size(); ++k) {
      if (is_corner[k]) {
        found.push_back(points_[k]);
      }
    }
    return found;
  }

 private:
  struct Facet {
    [[nodiscard]] double above(const Point& point) const { return dot(normal, point) - offset; }

    std::array<std::size_t, 3> corners;
    std::array<std::size_t, 3> beyond;  // the face behind the edge that begins at each corner
    Point normal;
    double offset;
    std::vector<std::size_t> outside;
    bool alive;
  };
  struct Edge {
    std::size_t from, to, beyond;
  };

  template <class Measure>
  [[nodiscard]] std::size_t furthest(const Measure& measure) const {
    std::size_t best = 0;
    double most = -kInfinity;
    for (std::size_t k = 0; k < points_.size(); ++k) {
      const double value = measure(points_[k]);
      if (value > most) {
        most = value;
        best = k;
      }
    }
    return best;
  }

  // Begins with a tetrahedron.
  bool begin() {
    const std::size_t a = furthest([](const Point& p) { return -p.x; });
    const std::size_t b = furthest([&](const Point& p) { return squared(p - points_[a]); });
    const Point line = points_[b] - points_[a];
    const std::size_t c =
        furthest([&](const Point& p) { return squared(cross(line, p - points_[a])); });
    const Point normal = cross(line, points_[c] - points_[a]);
    const std::size_t d =
        furthest([&](const Point& p) { return std::fabs(dot(normal, p - points_[a])); });
    const double height = dot(normal, points_[d] - points_[a]);
    if (!(std::fabs(height) > kTolerance * extent_ * lengthOf(normal)) ||
        !(lengthOf(normal) > kTolerance * extent_ * extent_)) {
      return false;
    }
    const auto [p, q] = height > 0.0 ? std::pair(c, b) : std::pair(b, c);
    add({a, p, q}, {1, 3, 2});
    add({a, d, p}, {2, 3, 0});
    add({a, q, d}, {0, 3, 1});
    add({p, d, q}, {1, 2, 0});
    std::vector<std::size_t> all(points_.size());
    for (std::size_t k = 0; k < all.size(); ++k) {
      all[k] = k;
    }
    assign(all, 0);
    return true;
  }

  void add(const std::array<std::size_t, 3>& corners, const std::array<std::size_t, 3>& beyond) {
    const Point& a = points_[corners[0]];
    const Point normal = cross(points_[corners[1]] - a, points_[corners[2]] - a);
    const double length = lengthOf(normal);
    const Point unit = (length > 0.0 ? 1.0 / length : 0.0) * normal;
    faces_.push_back({corners, beyond, unit, dot(unit, a), {}, true});
  }

  // Gives points to the first face from some on that they are outside of.
  void assign(const std::vector<std::size_t>& points, std::size_t first) {
    for (const std::size_t k : points) {
      for (std::size_t f = first; f < faces_.size(); ++f) {
        if (faces_[f].above(points_[k]) > kFlat * extent_) {
          faces_[f].outside.push_back(k);
          break;
        }
      }
    }
  }

  // Replaces the faces that the furthest point outside of one sees; false if rounding has left no
  // closed edge around them.
  bool extend(std::size_t from) {
    const std::vector<std::size_t>& outside = faces_[from].outside;
    const std::size_t apex =
        *std::max_element(outside.begin(), outside.end(), [&](std::size_t a, std::size_t b) {
          return faces_[from].above(points_[a]) < faces_[from].above(points_[b]);
        });
    std::vector<Edge> horizon;
    std::vector<std::size_t> open = {from};
    std::vector<std::size_t> left;
    faces_[from].alive = false;
    while (!open.empty()) {
      const std::size_t f = open.back();
      open.pop_back();
      left.insert(left.end(), faces_[f].outside.begin(), faces_[f].outside.end());
      faces_[f].outside.clear();
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t next = faces_[f].beyond.at(k);
        if (!faces_[next].alive) {
          continue;
        }
        if (faces_[next].above(points_[apex]) > kFlat * extent_) {
          faces_[next].alive = false;
          open.push_back(next);
        }
      }
      seen_.push_back(f);
    }
    for (const std::size_t f : seen_) {
      for (std::size_t k = 0; k < 3; ++k) {
        if (faces_[faces_[f].beyond.at(k)].alive) {
          horizon.push_back({faces_[f].corners.at(k), faces_[f].corners.at((k + 1) % 3),
                             faces_[f].beyond.at(k)});
        }
      }
    }
    seen_.clear();
    return close(apex, horizon, left);
  }

  // Makes faces from the horizon to a point.
  bool close(std::size_t apex, const std::vector<Edge>& horizon,
             const std::vector<std::size_t>& left) {
    const std::size_t first = faces_.size();
    for (std::size_t k = 0; k < horizon.size(); ++k) {
      std::size_t before = horizon.size();
      std::size_t after = horizon.size();
      for (std::size_t j = 0; j < horizon.size(); ++j) {
        before = horizon[j].to == horizon[k].from ? j : before;
        after = horizon[j].from == horizon[k].to ? j : after;
      }
      if (before == horizon.size() || after == horizon.size()) {
        return false;
      }
      add({horizon[k].from, horizon[k].to, apex},
          {horizon[k].beyond, first + after, first + before});
      Facet& outer = faces_[horizon[k].beyond];
      for (std::size_t e = 0; e < 3; ++e) {
        if (outer.corners.at(e) == horizon[k].to &&
            outer.corners.at((e + 1) % 3) == horizon[k].from) {
          outer.beyond.at(e) = first + k;
        }
      }
    }
    assign(left, first);
    return true;
  }

  const std::vector<Point>& points_;
  double extent_ = 0.0;
  std::vector<Facet> faces_;
  std::vector<std::size_t> seen_;
};

}  // namespace

std::vector<Point> hullCorners(const std::vector<Point>& points) {
  if (points.size() <= kFew) {
    return points;
  }
  Quickhull hull(points);
  return hull.build() ? hull.corners() : points;
}

}  // namespace generative_ik::collision::building

#include "body.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <variant>

#include "../../parallel/for_each.hpp"
#include "depths.hpp"
#include "halving.hpp"
#include "patches.hpp"
#include "point_table.hpp"
#include "tight_balls.hpp"

namespace generative_ik::collision::building {
namespace {

// Levels of a cover below its root.
constexpr int kDepth = 3;
constexpr std::size_t kLeaves = std::size_t{1} << (3 * kDepth);
// Spheres with a radius inside a body at most, and points of its surface; the fewer of the ones,
// the more of the others.
constexpr std::size_t kInnerBalls = 64;
constexpr std::size_t kInnerPoints = 448;
// Points of a surface among which some are chosen.
constexpr std::size_t kChoice = 4096;
// Radii of balls inside at least [m].
constexpr double kLeastDepth = 1e-4;

/// Small balls in groups.
struct Groups {
  std::vector<std::vector<Sphere>> balls;
  std::vector<Outermost> outermost;
};

Sphere ballAround(const Groups& groups, std::size_t first, std::size_t last,
                  const Outermost& outermost, const std::vector<Depths>& grids) {
  if (outermost.empty()) {
    return {{0.0, 0.0, 0.0}, kEmptyRadius};
  }
  const Point center = tightCentre(outermost.balls(), grids);
  double radius = 0.0;
  for (std::size_t k = first; k < last; ++k) {
    for (const Sphere& small : groups.balls[k]) {
      radius = std::max(radius, between(small.centre, center) + small.radius);
    }
  }
  return {center, grown(radius)};
}

Groups patchGroups(const Patches& patches) {
  std::vector<Point> places;
  std::vector<double> weights;
  places.reserve(patches.points.size());
  weights.reserve(patches.points.size());
  for (const Triangle& triangle : patches.points) {
    places.push_back(middleOf(triangle));
    weights.push_back(areaOf(triangle) + 1e-12);
  }
  const std::vector<std::int64_t> leaf = halved(places, weights, 3 * kDepth);
  std::vector<std::vector<Point>> corners(kLeaves);
  for (std::size_t k = 0; k < leaf.size(); ++k) {
    std::vector<Point>& to = corners[static_cast<std::size_t>(leaf[k])];
    to.insert(to.end(), patches.corners.begin() + patches.first[k],
              patches.corners.begin() + patches.first[k + 1]);
  }
  Groups groups{std::vector<std::vector<Sphere>>(kLeaves), std::vector<Outermost>(kLeaves)};
  for (std::size_t k = 0; k < kLeaves; ++k) {
    for (const Point& corner : uniquePoints(corners[k])) {
      groups.balls[k].push_back({corner, 0.0});
      groups.outermost[k].add(groups.balls[k].back());
    }
  }
  return groups;
}

// Adds the cells that lie inside to the leaves that they are deepest in. Those that would reach
// out of the solid are left out: the surface's own balls reach as deep.
void addInside(const Depths& grid, Groups& groups, std::vector<Sphere>& leaves) {
  const double half = grid.size * std::sqrt(3.0) / 2.0;
  std::vector<Point> cells;
  for (std::int64_t i = 0; i < grid.counts[0]; ++i) {
    for (std::int64_t j = 0; j < grid.counts[1]; ++j) {
      for (std::int64_t k = 0; k < grid.counts[2]; ++k) {
        if (grid.depth[grid.index(i, j, k)] > half) {
          cells.push_back(grid.center(i, j, k));
        }
      }
    }
  }
  const std::vector<std::int64_t> owners = ballsAt(cells, leaves);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const auto owner = static_cast<std::size_t>(owners[c]);
    const Sphere cell = {cells[c], half};
    groups.balls[owner].push_back(cell);
    groups.outermost[owner].add(cell);
    const double reach = (between(cell.centre, leaves[owner].centre) + half) * (1.0 + 1e-9);
    leaves[owner].radius = std::max(leaves[owner].radius, reach);
  }
}

// A tree whose leaves contain all patches, and all cells that lie inside. A node contains the
// patches and cells of the leaves below it, not these leaves' whole balls.
PackedTree coverOf(const Patches& patches, const std::vector<Depths>& grids) {
  Groups groups = patchGroups(patches);
  std::vector<std::vector<Sphere>> levels(kDepth + 1);
  std::vector<Sphere>& leaves = levels[kDepth];
  for (std::size_t k = 0; k < kLeaves; ++k) {
    leaves.push_back(ballAround(groups, k, k + 1, groups.outermost[k], grids));
  }
  for (const Depths& grid : grids) {
    if (grid.solid) {
      addInside(grid, groups, leaves);
    }
  }
  std::size_t below = 1;  // leaves below a node
  std::vector<Outermost> outermost = std::move(groups.outermost);
  for (std::size_t level = kDepth; level > 0; --level) {
    below *= kSiblings;
    std::vector<Outermost> above(outermost.size() / kSiblings);
    for (std::size_t k = 0; k < outermost.size(); ++k) {
      if (!outermost[k].empty()) {
        above[k / kSiblings].add(outermost[k]);
      }
    }
    for (std::size_t k = 0; k < above.size(); ++k) {
      levels[level - 1].push_back(ballAround(groups, below * k, below * (k + 1), above[k], grids));
    }
    outermost = std::move(above);
  }
  return packed(levels);
}

// Balls inside a solid, centred in the cells of its grid.
void addCandidates(const Depths& grid, std::vector<Sphere>& found) {
  const auto is_inside = [&grid](std::int64_t i, std::int64_t j, std::int64_t k) {
    return i >= 0 && j >= 0 && k >= 0 && i < grid.counts[0] && j < grid.counts[1] &&
           k < grid.counts[2] && grid.depth[grid.index(i, j, k)] > 0.0;
  };
  for (std::int64_t i = 0; i < grid.counts[0]; ++i) {
    for (std::int64_t j = 0; j < grid.counts[1]; ++j) {
      for (std::int64_t k = 0; k < grid.counts[2]; ++k) {
        const double depth = grid.depth[grid.index(i, j, k)];
        // A ray along an edge could be misled: neighbours that are inside too bear witness.
        if (depth > kLeastDepth &&
            (depth < 1.5 * grid.size ||
             (is_inside(i - 1, j, k) && is_inside(i + 1, j, k) && is_inside(i, j - 1, k) &&
              is_inside(i, j + 1, k) && is_inside(i, j, k - 1) && is_inside(i, j, k + 1)))) {
          found.push_back({grid.center(i, j, k), depth});
        }
      }
    }
  }
}

// The largest ball, then the largest whose centre is in none chosen, and so on.
std::vector<Sphere> largest(std::vector<Sphere> candidates) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Sphere& a, const Sphere& b) { return a.radius > b.radius; });
  std::vector<Sphere> chosen;
  for (const Sphere& ball : candidates) {
    const auto holds = [&ball](const Sphere& other) {
      return between(ball.centre, other.centre) <= other.radius;
    };
    if (chosen.size() < kInnerBalls && std::none_of(chosen.begin(), chosen.end(), holds)) {
      chosen.push_back(ball);
    }
  }
  return chosen;
}

// Some of many points; corners stand out in some direction.
std::vector<Point> choiceOf(const std::vector<Point>& points) {
  std::vector<Point> chosen;
  for (const Point& way : hullDirections()) {
    chosen.push_back(*std::max_element(
        points.begin(), points.end(),
        [&way](const Point& a, const Point& b) { return dot(a, way) < dot(b, way); }));
  }
  const std::size_t stride = points.size() / kChoice + 1;
  for (std::size_t k = 0; k < points.size(); k += stride) {
    chosen.push_back(points[k]);
  }
  return uniquePoints(chosen);
}

// Points far from each other, by farthest-first traversal, of some that differ.
std::vector<Point> spread(const std::vector<Point>& points, std::size_t count) {
  Point middle = {0.0, 0.0, 0.0};
  for (const Point& point : points) {
    middle = middle + (1.0 / static_cast<double>(points.size())) * point;
  }
  std::vector<double> apart;
  apart.reserve(points.size());
  std::size_t next = 0;
  for (const Point& point : points) {
    apart.push_back(squared(point - middle));
    next = apart.back() > apart[next] ? apart.size() - 1 : next;
  }
  apart.assign(points.size(), kInfinity);
  std::vector<Point> chosen;
  while (chosen.size() < std::min(count, points.size())) {
    chosen.push_back(points[next]);
    double most = -1.0;
    for (std::size_t k = 0; k < points.size(); ++k) {
      const double from_last = squared(points[k] - chosen.back());
      apart[k] = from_last < apart[k] ? from_last : apart[k];
      if (apart[k] > most) {
        most = apart[k];
        next = k;
      }
    }
  }
  return chosen;
}

BuiltBody bodyOfSpheres(const std::vector<Solid>& solids) {
  std::vector<Sphere> spheres;
  std::vector<Point> ends;
  for (const Solid& solid : solids) {
    const Sphere sphere = {solid.pose.p, solid.radius};
    spheres.push_back(sphere);
    for (const double r : {sphere.radius, -sphere.radius}) {
      ends.push_back(sphere.centre + Point{r, 0.0, 0.0});
      ends.push_back(sphere.centre + Point{0.0, r, 0.0});
      ends.push_back(sphere.centre + Point{0.0, 0.0, r});
    }
  }
  const PackedTree tree = treeOver(spheres);
  return {tree, tree, true, spread(uniquePoints(ends), kExtremes)};
}

}  // namespace

BuiltBody bodyOf(const std::vector<Shape>& shapes) {
  if (shapes.empty()) {
    throw std::invalid_argument("a body needs at least one shape");
  }
  const std::vector<Solid> solids = solidsOf(shapes);
  if (std::all_of(solids.begin(), solids.end(),
                  [](const Solid& solid) { return solid.kind == SolidKind::kSphere; })) {
    return bodyOfSpheres(solids);
  }
  const Patches patches = patchesOf(solids);
  std::vector<Depths> grids;
  std::vector<Sphere> candidates;
  for (const Solid& solid : solids) {
    if (std::optional<Depths> grid = depthsOf(solid)) {
      grids.push_back(*std::move(grid));
      if (grids.back().solid) {
        addCandidates(grids.back(), candidates);
      }
    }
  }
  std::vector<Point> surface;
  surface.reserve(3 * patches.points.size());
  for (const Triangle& triangle : patches.points) {
    surface.insert(surface.end(), triangle.begin(), triangle.end());
  }
  surface = uniquePoints(surface);
  if (surface.size() > kChoice) {
    surface = choiceOf(surface);
  }
  std::vector<Sphere> inner = largest(std::move(candidates));
  for (const Point& point : spread(surface, kInnerPoints + kInnerBalls - inner.size())) {
    inner.push_back({point, 0.0});
  }
  return {coverOf(patches, grids), treeOver(inner), false, spread(surface, kExtremes)};
}

std::vector<BuiltBody> bodiesOf(const std::vector<std::vector<Shape>>& things,
                                const parallel::StopWhen& stop) {
  std::vector<BuiltBody> bodies(things.size());
  parallel::forEach(
      static_cast<std::int64_t>(things.size()),
      [&](std::int64_t k) {
        bodies[static_cast<std::size_t>(k)] = bodyOf(things[static_cast<std::size_t>(k)]);
      },
      stop);
  return bodies;
}

}  // namespace generative_ik::collision::building

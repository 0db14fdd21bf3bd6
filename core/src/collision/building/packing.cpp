#include "packing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "../convex_distance.hpp"

namespace generative_ik::collision::building {
namespace {

// Where primitives are that fill up a group of eight [m].
constexpr double kFarAway = 1e9;
// More primitives than this are sorted, so that neighbours share a group.
constexpr std::size_t kSorted = kSiblings * kSiblings;

void append(std::vector<double>& numbers, const Point& p) {
  numbers.insert(numbers.end(), {p.x, p.y, p.z});
}

// Moves a tree to the end of some rows; returns its first row and groups.
std::array<std::int64_t, 2> appendTree(const RigidPose& pose, const SphereTree& tree,
                                       std::vector<double>& trees) {
  const std::size_t start = trees.size();
  trees.resize(start + static_cast<std::size_t>(kGroupSize * tree.groups));
  move(pose, tree, trees.data() + start);
  return {static_cast<std::int64_t>(start) / kSiblings, tree.groups};
}

/// A box with round edges, or a cylinder, in frame 0.
struct Rounded {
  PrimitiveKind kind;
  Point half;
  double edges;  // radius [m]
  RigidPose pose;

  // Of a sphere around it. A cylinder's radius is twice among the half lengths.
  [[nodiscard]] double around() const {
    const double across = kind == PrimitiveKind::kCylinder ? 0.0 : half.x;
    return std::sqrt(across * across + half.y * half.y + half.z * half.z) + edges;
  }

  // Points that are far from each other. Rounded edges and cylinders end where half of the length
  // along an axis does.
  [[nodiscard]] std::array<Point, kSiblings> corners() const {
    const Point reach = half + Point{edges, edges, edges};
    if (kind != PrimitiveKind::kCylinder && !(edges > 0.0)) {
      return boxCorners(2.0 * reach);
    }
    const Point x = {reach.x, 0.0, 0.0};
    const Point y = {0.0, reach.y, 0.0};
    const Point z = {0.0, 0.0, reach.z};
    return {x, y, z, -x, -y, -z, x, y};
  }
};

Rounded roundedOf(const Solid& solid) {
  const double r = solid.radius;
  const double half = 0.5 * solid.length;
  switch (solid.kind) {
    case SolidKind::kCylinder:
      return {PrimitiveKind::kCylinder, {r, r, half}, 0.0, solid.pose};
    case SolidKind::kSphere:
    case SolidKind::kCapsule:
      return {PrimitiveKind::kBox, {0.0, 0.0, half}, r, solid.pose};
    case SolidKind::kBox:
    case SolidKind::kMesh:
      break;
  }
  return {PrimitiveKind::kBox, 0.5 * solid.size, 0.0, solid.pose};
}

// What fills up a group of eight is far away.
constexpr Rounded kNothing = {
    PrimitiveKind::kBox,
    {0.0, 0.0, 0.0},
    0.0,
    {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, {kFarAway, kFarAway, kFarAway}}};

void writeLane(const Rounded& one, double* group, int lane) {
  const RigidPose& at = one.pose;
  const std::array<double, kPrimitiveRows> numbers = {
      at.p.x,     at.p.y,     at.p.z,     at.r.x.x,  at.r.x.y,    at.r.x.z,
      at.r.y.x,   at.r.y.y,   at.r.y.z,   at.r.z.x,  at.r.z.y,    at.r.z.z,
      one.half.x, one.half.y, one.half.z, one.edges, one.around()};
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    group[kSiblings * row + static_cast<std::size_t>(lane)] = numbers.at(row);
  }
}

/// Writes pieces one after the other.
class PieceWriter {
 public:
  explicit PieceWriter(std::vector<double>& numbers) : numbers_(numbers) {}

  /// Writes a piece, moved; returns its place. `triangles` is the place of the first of all.
  std::int64_t write(const RigidPose& pose, const ConvexPieces& pieces, std::size_t k,
                     std::int64_t triangles) {
    std::vector<Point> points;
    for (std::size_t i = pieces.first[k]; i < pieces.first[k + 1]; ++i) {
      points.push_back(moved(pose, pieces.points[i]));
    }
    const auto [number, first] = pieces.inside[k];
    return write(points, pieces.around[k], pieces.radius[k], number,
                 number > 0 ? triangles + kTriangleSize * first : 0);
  }

  std::int64_t write(const Triangle& triangle) {
    return write({triangle.begin(), triangle.end()}, 0.0, 0.0, 0, 0);
  }

 private:
  // Of cylinders the first point is the middle, which is not among those that are counted.
  std::int64_t write(std::vector<Point> points, double around, double radius,
                     std::int64_t number_inside, std::int64_t first_inside) {
    const std::size_t place = numbers_.size();
    const bool cylinder = radius > 0.0;
    Point inside = points[0];
    if (cylinder) {
      points.erase(points.begin());
    } else {
      for (std::size_t k = 1; k < points.size(); ++k) {
        inside = inside + points[k];
      }
      inside = (1.0 / static_cast<double>(points.size())) * inside;
    }
    if (points.size() > 3) {
      // Eight of them at a time are as fast as a few.
      points.resize((points.size() + kSiblings - 1) / kSiblings * kSiblings, points.back());
    }
    numbers_.insert(numbers_.end(),
                    {cylinder ? 0.0 : static_cast<double>(points.size()), around, radius,
                     static_cast<double>(number_inside), static_cast<double>(first_inside)});
    append(numbers_, inside);
    if (points.size() < kSiblings) {
      for (const Point& point : points) {
        append(numbers_, point);
      }
    }
    for (std::size_t k = 0; points.size() >= kSiblings && k < points.size(); k += kSiblings) {
      for (int axis = 0; axis < 3; ++axis) {
        for (std::size_t i = k; i < k + kSiblings; ++i) {
          numbers_.push_back(along(points[i], axis));
        }
      }
    }
    numbers_.resize((numbers_.size() + kSiblings - 1) / kSiblings * kSiblings, 0.0);
    return static_cast<std::int64_t>(place);
  }

  std::vector<double>& numbers_;
};

}  // namespace

PackedBodies packedBodies(const std::vector<PlacedBody>& bodies) {
  PackedBodies packed;
  for (const PlacedBody& body : bodies) {
    const auto cover = appendTree(body.pose, body.cover, packed.trees);
    std::array<std::int64_t, 2> inner = {0, 0};
    if (body.inner.rows == body.cover.rows) {
      inner = cover;
    } else if (body.inner.groups > 0) {
      inner = appendTree(body.pose, body.inner, packed.trees);
    }
    const auto first = static_cast<std::int64_t>(packed.extremes.size()) / 3;
    for (const Point& point : *body.extremes) {
      append(packed.extremes, moved(body.pose, point));
    }
    packed.ints.insert(packed.ints.end(),
                       {body.frame, cover[0], cover[1], inner[0], inner[1], body.exact ? 1 : 0,
                        first, static_cast<std::int64_t>(body.extremes->size())});
  }
  return packed;
}

PackedPrimitives packedPrimitives(const std::vector<Solid>& solids) {
  std::vector<Rounded> all;
  all.reserve(solids.size());
  for (const Solid& solid : solids) {
    all.push_back(roundedOf(solid));
  }
  PackedPrimitives packed;
  for (const PrimitiveKind kind : {PrimitiveKind::kBox, PrimitiveKind::kCylinder}) {
    std::vector<std::int64_t> some;
    std::vector<Sphere> places;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (all[k].kind == kind) {
        some.push_back(static_cast<std::int64_t>(k));
        places.push_back({all[k].pose.p, 0.0});
      }
    }
    if (some.size() > kSorted) {
      // Neighbours share a group, most of which are then passed over at once.
      const std::vector<std::int64_t> slots = leavesOf(places);
      std::vector<std::size_t> sorted(some.size());
      std::iota(sorted.begin(), sorted.end(), std::size_t{0});
      std::stable_sort(sorted.begin(), sorted.end(),
                       [&slots](std::size_t a, std::size_t b) { return slots[a] < slots[b]; });
      std::vector<std::int64_t> ordered;
      for (const std::size_t k : sorted) {
        ordered.push_back(some[k]);
      }
      some = std::move(ordered);
    }
    const std::size_t groups = (some.size() + kSiblings - 1) / kSiblings;
    some.resize(kSiblings * groups, -1);
    packed.order.insert(packed.order.end(), some.begin(), some.end());
    packed.kinds.insert(packed.kinds.end(), groups, static_cast<std::int64_t>(kind));
  }
  packed.rows.resize(kPrimitiveRows * packed.order.size());
  for (std::size_t lane = 0; lane < packed.order.size(); ++lane) {
    const std::int64_t which = packed.order[lane];
    const Rounded& one = which >= 0 ? all[static_cast<std::size_t>(which)] : kNothing;
    const std::size_t group = lane / kSiblings;
    writeLane(one, packed.rows.data() + kPrimitiveRows * kSiblings * group,
              static_cast<int>(lane % kSiblings));
    for (const Point& corner : one.corners()) {
      append(packed.corners, moved(one.pose, corner));
    }
  }
  return packed;
}

ShapeArrays packedSurfaces(const std::vector<PlacedSurface>& bodies,
                           const std::vector<Solid>& primitives,
                           const std::vector<std::int64_t>& order) {
  ShapeArrays packed;
  packed.places.assign(3 * bodies.size() + order.size(), -1);
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const auto [row, groups] =
        appendTree(bodies[b].pose, bodies[b].surface->tree.view(), packed.pieces);
    packed.places[3 * b] = row;
    packed.places[3 * b + 1] = groups;
  }
  PieceWriter writer(packed.pieces);
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const Surface& surface = *bodies[b].surface;
    const auto triangles = static_cast<std::int64_t>(packed.pieces.size());
    for (const Triangle& triangle : surface.triangles) {
      writer.write(movedBy(bodies[b].pose, triangle));
    }
    const std::size_t listed = packed.places.size();
    packed.places[3 * b + 2] = static_cast<std::int64_t>(listed);
    packed.places.resize(listed + static_cast<std::size_t>(kSiblings * surface.tree.groups()), -1);
    for (std::size_t k = 0; k < surface.nodes.size(); ++k) {
      packed.places[listed + static_cast<std::size_t>(surface.nodes[k])] =
          writer.write(bodies[b].pose, surface.pieces, k, triangles);
    }
  }
  for (std::size_t lane = 0; lane < order.size(); ++lane) {
    if (order[lane] >= 0) {
      packed.places[3 * bodies.size() + lane] =
          writer.write({{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, {0.0, 0.0, 0.0}},
                       pieceOf(primitives[static_cast<std::size_t>(order[lane])]), 0, 0);
    }
  }
  return packed;
}

}  // namespace generative_ik::collision::building

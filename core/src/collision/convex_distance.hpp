/// The distance between two convex pieces (Gilbert, Johnson, Keerthi 1988).
///
/// A piece is the hull of a few points, or a cylinder, with everything that is near enough to it:
/// the point of a ball, the line of a capsule, the corners of a box, a triangle of a mesh. The
/// difference of two pieces is convex, too, and the point of it nearest to the origin is their
/// distance. It is approached by simplices of points that lie furthest towards the origin, each of
/// which bounds the distance from below: what cannot be nearer than something else is left after
/// the first.
#pragma once

#include <cstdint>

#include "../simd/constants.hpp"
#include "sphere_tree.hpp"

namespace generative_ik::collision {

/// Numbers of a piece before its points, and of a triangle with them.
inline constexpr int kPieceHead = 8;
inline constexpr int kTriangleSize = 24;

/// A piece as it is packed. Eight and more points come in groups of eight.
struct Piece {
  const double* head;

  /// Number of points; 0 for a cylinder, which has one, the end of its axis.
  [[nodiscard]] GENERATIVE_IK_INLINE std::int64_t numPoints() const {
    return static_cast<std::int64_t>(head[0]);
  }
  /// How far what is near enough reaches around the hull [m].
  [[nodiscard]] GENERATIVE_IK_INLINE double around() const { return head[1]; }
  /// Of a cylinder [m].
  [[nodiscard]] GENERATIVE_IK_INLINE double radius() const { return head[2]; }
  /// How many triangles the hull is that of, and the place of the first of these pieces; without
  /// triangles it is the piece itself.
  [[nodiscard]] GENERATIVE_IK_INLINE std::int64_t numTriangles() const {
    return static_cast<std::int64_t>(head[3]);
  }
  [[nodiscard]] GENERATIVE_IK_INLINE std::int64_t firstTriangle() const {
    return static_cast<std::int64_t>(head[4]);
  }
  /// A point inside; of a cylinder the middle.
  [[nodiscard]] GENERATIVE_IK_INLINE Point inside() const { return {head[5], head[6], head[7]}; }
  [[nodiscard]] GENERATIVE_IK_INLINE const double* points() const { return head + kPieceHead; }
  [[nodiscard]] GENERATIVE_IK_INLINE Point point(std::int64_t k) const {
    const double* at = points() + 3 * k;
    return {at[0], at[1], at[2]};
  }
};

/// A simplex of one to four corners, and its point nearest to the origin.
struct Simplex {
  Point corners[4];  // NOLINT(*-avoid-c-arrays)
  int size;          // 4: the origin is inside
  Point nearest;
};

// What is written number by number is slow to load as a whole: corners are given as values, and a
// simplex is not copied.

/// Writes the part of a segment that holds its point nearest to the origin.
GENERATIVE_IK_INLINE void keepNearest(Simplex& to, const Point a, const Point b) {
  const Point way = b - a;
  const double along = -dot(a, way);
  const double whole = dot(way, way);
  if (along <= 0.0 || along >= whole) {
    to.corners[0] = along > 0.0 ? b : a;
    to.size = 1;
    to.nearest = to.corners[0];
    return;
  }
  to.corners[0] = a;
  to.corners[1] = b;
  to.size = 2;
  to.nearest = a + (along / whole) * way;
}

/// The same of a triangle, after Ericson, Real-Time Collision Detection, 5.1.5.
GENERATIVE_IK_INLINE void keepNearest(Simplex& to, const Point a, const Point b, const Point c) {
  const Point u = b - a;
  const Point v = c - a;
  const double d1 = -dot(u, a);
  const double d2 = -dot(v, a);
  const double d3 = -dot(u, b);
  const double d4 = -dot(v, b);
  const double d5 = -dot(u, c);
  const double d6 = -dot(v, c);
  const double va = d3 * d6 - d5 * d4;
  const double vb = d5 * d2 - d1 * d6;
  const double vc = d1 * d4 - d3 * d2;
  const double whole = va + vb + vc;
  // A side says itself whether one of its ends is nearest.
  const bool at_a = d1 <= 0.0 && d2 <= 0.0;
  const bool at_b = d3 >= 0.0 && d4 <= d3;
  const bool at_c = d6 >= 0.0 && d5 <= d6;
  if (at_a || at_b || (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0)) {
    keepNearest(to, a, b);
  } else if (at_c || (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0)) {
    keepNearest(to, a, c);
  } else if ((va <= 0.0 && d4 >= d3 && d5 >= d6) || whole <= 0.0) {
    keepNearest(to, b, c);
  } else {
    to.corners[0] = a;
    to.corners[1] = b;
    to.corners[2] = c;
    to.size = 3;
    to.nearest = a + (vb / whole) * u + (vc / whole) * v;
  }
}

/// Whether the origin is not on the side of a face where the opposite corner is.
GENERATIVE_IK_INLINE bool isBeyond(const Point& a, const Point& b, const Point& c,
                                   const Point& opposite) {
  const Point normal = cross(b - a, c - a);
  const double origin = -dot(a, normal);
  return origin * (origin + dot(opposite, normal)) <= 0.0;
}

/// Reduces a simplex to the part that holds its point nearest to the origin; leaves it whole where
/// the origin is inside.
GENERATIVE_IK_INLINE void keepNearest(Simplex& simplex) {
  const Point* corners = simplex.corners;
  if (simplex.size == 2) {
    keepNearest(simplex, corners[0], corners[1]);
    return;
  }
  if (simplex.size == 3) {
    keepNearest(simplex, corners[0], corners[1], corners[2]);
    return;
  }
  // The origin was not beyond the face without the last point.
  Simplex faces[3];  // NOLINT(*-avoid-c-arrays,*-member-init)
  int best = -1;
  double least = kInfinity;
  for (int without = 0; without < 3; ++without) {
    const Point a = corners[without == 0 ? 1 : 0];
    const Point b = corners[without == 2 ? 1 : 2];
    if (!isBeyond(a, b, corners[3], corners[without])) {
      continue;
    }
    Simplex& face = faces[without];
    keepNearest(face, a, b, corners[3]);
    const double square = dot(face.nearest, face.nearest);
    if (square < least) {
      least = square;
      best = without;
    }
  }
  if (best < 0) {
    simplex.nearest = {0.0, 0.0, 0.0};
    return;
  }
  const Simplex& face = faces[best];
  simplex.size = face.size;
  simplex.nearest = {face.nearest.x, face.nearest.y, face.nearest.z};
  for (int k = 0; k < face.size; ++k) {
    simplex.corners[k] = {face.corners[k].x, face.corners[k].y, face.corners[k].z};
  }
}

GENERATIVE_IK_INLINE Point furthestOfCylinder(const Piece& piece, const Point& way) {
  // Along the axis the whole end is furthest; what is left beside it would be rounding.
  constexpr double kAlong = 1e-8;
  const Point middle = piece.inside();
  const Point axis = piece.point(0) - middle;
  const double along = dot(way, axis);
  const double whole = dot(axis, axis);
  const double share = whole > 0.0 ? along / whole : 0.0;
  const Point beside = way - share * axis;
  const double out = lengthOf(beside);
  const double least = kAlong * lengthOf(way);
  const double reach = out > least ? piece.radius() / out : 0.0;
  return middle + (along >= 0.0 ? 1.0 : -1.0) * axis + reach * beside;
}

/// Of points in groups of eight.
template <class Number>
GENERATIVE_IK_INLINE Point furthestOfGroups(const Piece& piece, const Point& way) {
  constexpr int kWidth = simd::kWidth<Number>;
  const double* points = piece.points();
  const auto steps = static_cast<int>(piece.numPoints() / kWidth);
  const auto at = [](int step) {
    return 3 * kSiblings * (step * kWidth / kSiblings) + step * kWidth % kSiblings;
  };
  const auto reach_of = [&](int step) {
    return simd::load<Number>(points + at(step)) * way.x +
           simd::load<Number>(points + kSiblings + at(step)) * way.y +
           simd::load<Number>(points + 2 * kSiblings + at(step)) * way.z;
  };
  Number far = reach_of(0);
  Number which = 0.0;
  for (int step = 1; step < steps; ++step) {
    const Number reach = reach_of(step);
    which = select(far < reach, Number(step), which);
    far = simd::larger(far, reach);
  }
  const unsigned less = simd::bitsWhereLess(far, Number(simd::largestOf(far)));
  const int lane = __builtin_ctz(~less) % kWidth;
  const double* found = points + at(static_cast<int>(simd::lane(which, lane))) + lane;
  return {found[0], found[kSiblings], found[2 * kSiblings]};
}

/// The point of a piece that is furthest in a direction.
template <class Number>
GENERATIVE_IK_INLINE Point furthest(const Piece& piece, const Point& way) {
  const std::int64_t count = piece.numPoints();
  if (count == 0) {
    return furthestOfCylinder(piece, way);
  }
  if (count >= kSiblings) {
    return furthestOfGroups<Number>(piece, way);
  }
  Point best = piece.point(0);
  double far = dot(best, way);
  for (std::int64_t k = 1; k < count; ++k) {
    const Point point = piece.point(k);
    const double reach = dot(point, way);
    if (reach > far) {
      best = point;
      far = reach;
    }
  }
  return best;
}

/// The distance between two pieces, or `best` if that is not more [m]: a lower bound that is exact
/// but for rounding, 0 where the pieces meet. `other_in_one` is the frame of the other piece in
/// that of the first.
template <class Number>
double piecesApart(const Piece& one, const Piece& other, const RigidPose& other_in_one,
                   double best) {
  // How far the distance may be below the true one, as a share of it.
  constexpr double kClose = 1e-7;
  constexpr int kIterations = 48;
  const double around = one.around() + other.around();
  const Point start = one.inside() - moved(other_in_one, other.inside());
  Simplex simplex;  // NOLINT(*-member-init)
  simplex.corners[0] = simplex.nearest = start;
  simplex.size = 1;
  double square = dot(start, start);
  double bound = 0.0;
  for (int i = 0; i < kIterations; ++i) {
    if (simplex.size == 4 || square <= around * around) {
      return simd::smaller(0.0, best);
    }
    // The point of the pieces' difference that is furthest towards the origin.
    const Point way = -simplex.nearest;
    const Point there = furthest<Number>(other, transposed(other_in_one.r) * simplex.nearest);
    const Point point = furthest<Number>(one, way) - moved(other_in_one, there);
    const double along = dot(point, simplex.nearest);
    bound = simd::larger(bound, along / simd::squareRoot(square));
    if (bound - around >= best) {
      return best;
    }
    if (square - along <= kClose * square) {
      break;
    }
    simplex.corners[simplex.size++] = point;
    keepNearest(simplex);
    const double before = square;
    square = dot(simplex.nearest, simplex.nearest);
    if (square >= before) {
      break;  // What is left is rounding.
    }
  }
  return simd::smaller(simd::larger(bound - around, 0.0), best);
}

}  // namespace generative_ik::collision

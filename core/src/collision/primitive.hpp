/// Signed distances from points to boxes, capsules and cylinders, one or many at a time.
#pragma once

#include <cstdint>

#include "rigid_pose.hpp"

namespace generative_ik::collision {

/// Boxes have round edges: the box of a sphere is a point, that of a capsule is a line.
enum class PrimitiveKind : std::int64_t { kBox = 0, kCylinder = 1 };

/// A primitive, or several in lanes, in the frame of the points that it is compared with.
template <class Number>
struct Primitive {
  simd::Vector3<Number> p;        ///< [m]
  simd::Vector3<Number> x, y, z;  ///< Rows of its rotation.
  /// Half lengths; of a cylinder the radius, the radius again, and half its length [m].
  simd::Vector3<Number> half;
  Number radius;  ///< Of its edges [m].
};

/// Rows of a group of eight primitives: those of a `Primitive`, and the radius of spheres around
/// them.
inline constexpr int kPrimitiveRows = 17;
inline constexpr int kAroundRow = 16;

/// How far points are from the surface of primitives, negative inside [m].
template <class A, class B>
GENERATIVE_IK_INLINE simd::Common<A, B> signedDistance(PrimitiveKind kind,
                                                       const Primitive<A>& primitive,
                                                       const simd::Vector3<B>& point) {
  using Number = simd::Common<A, B>;
  const Number none = 0.0;
  const auto d = point - primitive.p;
  const auto inside_frame = d.x * primitive.x + d.y * primitive.y + d.z * primitive.z;
  Number a = inside_frame.x;
  Number b = inside_frame.y;
  const Number c = simd::absolute(inside_frame.z) - primitive.half.z;
  Number outside;
  if (kind == PrimitiveKind::kCylinder) {
    a = b = simd::squareRoot(a * a + b * b) - primitive.half.x;
    const Number out = simd::larger(a, none);
    outside = out * out;
  } else {
    a = simd::absolute(a) - primitive.half.x;
    b = simd::absolute(b) - primitive.half.y;
    const Number left = simd::larger(a, none);
    const Number right = simd::larger(b, none);
    outside = left * left + right * right;
  }
  const Number up = simd::larger(c, none);
  const Number deepest = simd::larger(simd::larger(a, b), c);
  const Number inside = simd::smaller(deepest, none);
  return simd::squareRoot(outside + up * up) + inside - primitive.radius;
}

/// A primitive of a group, seen from a frame in the one in which the group is given.
GENERATIVE_IK_INLINE Primitive<double> primitiveSeenFrom(const RigidPose& frame,
                                                         const double* group, int lane) {
  constexpr int kEach = 8;
  const auto row = [group, lane](int r) {
    return Point{group[kEach * r + lane], group[kEach * (r + 1) + lane],
                 group[kEach * (r + 2) + lane]};
  };
  const Rotation turned = turnedBack(frame.r, {row(3), row(6), row(9)});
  return {transposed(frame.r) * (row(0) - frame.p),
          turned.x,
          turned.y,
          turned.z,
          row(12),
          group[kEach * 15 + lane]};
}

/// Primitives of a group from a lane on.
template <class Number>
GENERATIVE_IK_INLINE Primitive<Number> primitivesOf(const double* group, int first) {
  constexpr int kEach = 8;
  const auto row = [group, first](int r) { return simd::load<Number>(group + kEach * r + first); };
  return {{row(0), row(1), row(2)},   {row(3), row(4), row(5)},    {row(6), row(7), row(8)},
          {row(9), row(10), row(11)}, {row(12), row(13), row(14)}, row(15)};
}

}  // namespace generative_ik::collision

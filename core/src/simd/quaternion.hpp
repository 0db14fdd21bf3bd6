/// Rotations as unit quaternions, whose numbers are doubles or lanes.
#pragma once

#include "vector3.hpp"

namespace generative_ik::simd {

template <class Number>
struct Quaternion {
  Number x, y, z, w;
};

template <class Number>
GENERATIVE_IK_INLINE Quaternion<Number> product(const Quaternion<Number>& a,
                                                const Quaternion<Number>& b) {
  return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
          a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
          a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

template <class Number>
GENERATIVE_IK_INLINE Vector3<Number> rotated(const Quaternion<Number>& q,
                                             const Vector3<Number>& v) {
  const Number two = 2.0;
  const Vector3<Number> t = {two * (q.y * v.z - q.z * v.y), two * (q.z * v.x - q.x * v.z),
                             two * (q.x * v.y - q.y * v.x)};
  return {v.x + q.w * t.x + q.y * t.z - q.z * t.y, v.y + q.w * t.y + q.z * t.x - q.x * t.z,
          v.z + q.w * t.z + q.x * t.y - q.y * t.x};
}

/// The z axis of a rotated frame.
template <class Number>
GENERATIVE_IK_INLINE Vector3<Number> zAxisOf(const Quaternion<Number>& q) {
  const Number two = 2.0;
  return {two * (q.x * q.z + q.w * q.y), two * (q.y * q.z - q.w * q.x),
          Number(1.0) - two * (q.x * q.x + q.y * q.y)};
}

/// The x axis of a rotated frame.
template <class Number>
GENERATIVE_IK_INLINE Vector3<Number> xAxisOf(const Quaternion<Number>& q) {
  const Number two = 2.0;
  return {Number(1.0) - two * (q.y * q.y + q.z * q.z), two * (q.x * q.y + q.z * q.w),
          two * (q.x * q.z - q.y * q.w)};
}

/// The three axes of a rotated frame.
template <class Number>
struct Axes {
  Vector3<Number> x, y, z;
};

template <class Number>
GENERATIVE_IK_INLINE Axes<Number> axesOf(const Quaternion<Number>& q) {
  const Number two = 2.0;
  return {xAxisOf(q),
          {two * (q.x * q.y - q.z * q.w), Number(1.0) - two * (q.x * q.x + q.z * q.z),
           two * (q.y * q.z + q.x * q.w)},
          zAxisOf(q)};
}

/// The rotation that takes `from` to `to`: its axis times the chord 2 sin(angle / 2).
template <class Number>
GENERATIVE_IK_INLINE Vector3<Number> chordBetween(const Quaternion<Number>& from,
                                                  const Quaternion<Number>& to) {
  const Quaternion<Number> turn = product(to, {-from.x, -from.y, -from.z, from.w});
  const Number sign = select(turn.w < Number(0.0), Number(-2.0), Number(2.0));
  return sign * Vector3<Number>{turn.x, turn.y, turn.z};
}

/// A frame: where its origin is, and how it is rotated.
template <class Number>
struct Frame {
  Vector3<Number> p;
  Quaternion<Number> q;

  GENERATIVE_IK_INLINE static Frame identity() {
    const Number zero = 0.0;
    return {{zero, zero, zero}, {zero, zero, zero, Number(1.0)}};
  }

  /// Moves the frame on by a pose that is given in it.
  GENERATIVE_IK_INLINE void move(const Frame& by) {
    p = p + rotated(q, by.p);
    q = product(q, by.q);
  }
  /// Likewise by seven numbers: x y z [m], unit quaternion x y z w.
  template <class Scalar>
  GENERATIVE_IK_INLINE void move(const Scalar* by) {
    move({{by[0], by[1], by[2]}, {by[3], by[4], by[5], by[6]}});
  }

  /// The same to a frame that is mostly moved along x and z and turned about x alone. Args: z: the
  /// z axis.
  template <class Scalar>
  GENERATIVE_IK_INLINE void moveToNext(const Scalar* by, const Vector3<Number>& z) {
    const Scalar none = 0.0;
    if (by[1] != none) {
      p = p + rotated(q, Vector3<Number>{Number(by[0]), Number(by[1]), Number(by[2])});
    } else {
      p = p + by[2] * z;
      if (by[0] != none) {
        p = p + by[0] * xAxisOf(q);
      }
    }
    if (by[4] != none || by[5] != none) {
      q = product(q,
                  Quaternion<Number>{Number(by[3]), Number(by[4]), Number(by[5]), Number(by[6])});
    } else {
      const Number s = by[3];
      const Number c = by[6];
      q = {q.x * c + q.w * s, q.y * c + q.z * s, q.z * c - q.y * s, q.w * c - q.x * s};
    }
  }

  GENERATIVE_IK_INLINE void turnAboutZ(const Number& angle) {
    Number s = 0.0;
    Number c = 0.0;
    halfAngle(angle, s, c);
    q = {q.x * c + q.y * s, q.y * c - q.x * s, q.z * c + q.w * s, q.w * c - q.z * s};
  }
};

}  // namespace generative_ik::simd

/// Vectors of three numbers, each a double or lanes, and turns of them.
#pragma once

#include "angles.hpp"

namespace generative_ik::simd {

template <class Number>
struct Vector3 {
  Number x, y, z;
};

/// What the product of a double and lanes is: lanes.
template <class A, class B>
using Common = decltype(A() * B());

template <class A, class B>
GENERATIVE_IK_INLINE Vector3<Common<A, B>> operator+(const Vector3<A>& a, const Vector3<B>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}

template <class A, class B>
GENERATIVE_IK_INLINE Vector3<Common<A, B>> operator-(const Vector3<A>& a, const Vector3<B>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

template <class Number>
GENERATIVE_IK_INLINE Vector3<Number> operator-(const Vector3<Number>& a) {
  return {-a.x, -a.y, -a.z};
}

template <class A, class B>
GENERATIVE_IK_INLINE Vector3<Common<A, B>> operator*(const A& factor, const Vector3<B>& b) {
  return {factor * b.x, factor * b.y, factor * b.z};
}

template <class A, class B>
GENERATIVE_IK_INLINE Common<A, B> dot(const Vector3<A>& a, const Vector3<B>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

template <class A, class B>
GENERATIVE_IK_INLINE Vector3<Common<A, B>> cross(const Vector3<A>& a, const Vector3<B>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <class Number>
GENERATIVE_IK_INLINE Number lengthOf(const Vector3<Number>& v) {
  return squareRoot(dot(v, v));
}

/// `a` in the lanes in which the condition holds, `b` in the others.
template <class Number>
GENERATIVE_IK_INLINE Vector3<Number> select(const MaskOf<Number>& condition,
                                            const Vector3<Number>& a, const Vector3<Number>& b) {
  return {select(condition, a.x, b.x), select(condition, a.y, b.y), select(condition, a.z, b.z)};
}

/// The part of p that is perpendicular to the unit axis k.
template <class A, class B>
GENERATIVE_IK_INLINE Vector3<Common<A, B>> perpendicular(const Vector3<A>& k,
                                                         const Vector3<B>& p) {
  return p - dot(k, p) * k;
}

/// p turned by an angle about the unit axis k (Rodrigues' formula).
template <class A, class B, class C>
GENERATIVE_IK_INLINE Vector3<Common<A, Common<B, C>>> turn(const Vector3<A>& k,
                                                           const Angle<B>& angle,
                                                           const Vector3<C>& p) {
  const auto& [c, s] = angle;
  const auto along = (1.0 - c) * dot(k, p);
  const auto q = cross(k, p);
  return {c * p.x + s * q.x + along * k.x, c * p.y + s * q.y + along * k.y,
          c * p.z + s * q.z + along * k.z};
}

/// p turned by the opposite angle.
template <class A, class B, class C>
GENERATIVE_IK_INLINE Vector3<Common<A, Common<B, C>>> turnBack(const Vector3<A>& k,
                                                               const Angle<B>& angle,
                                                               const Vector3<C>& p) {
  return turn(k, Angle<B>{angle.cosine, -angle.sine}, p);
}

/// A rotation matrix by its rows.
struct Rotation {
  Vector3<double> x, y, z;
};

template <class Number>
GENERATIVE_IK_INLINE Vector3<Number> operator*(const Rotation& rotation,
                                               const Vector3<Number>& p) {
  return {dot(rotation.x, p), dot(rotation.y, p), dot(rotation.z, p)};
}

GENERATIVE_IK_INLINE Rotation transposed(const Rotation& r) {
  return {{r.x.x, r.y.x, r.z.x}, {r.x.y, r.y.y, r.z.y}, {r.x.z, r.y.z, r.z.z}};
}

template <class Number>
GENERATIVE_IK_INLINE Vector3<Number> doubled(const Vector3<typename HalfOf<Number>::Type>& p,
                                             int half) {
  return {doubled<Number>(p.x, half), doubled<Number>(p.y, half), doubled<Number>(p.z, half)};
}

}  // namespace generative_ik::simd

/// Canonical subproblems: angles that bring turned vectors where they should be.
///
/// B. Paden, Kinematics and control of robot manipulators, 1986; in the form of A. Elias and
/// J. Wen, IK-Geo: Unified robot inverse kinematics using subproblem decomposition, 2022 (arXiv
/// 2211.05737). Lengths are shares of the arm's length. Each answer says how far it may be off, by
/// rounding or because an arm is only nearly of its family, and what is computed from it is off
/// by as much again.
#pragma once

#include "../simd/vector3.hpp"

namespace generative_ik::closed_form {

using simd::absolute;
using simd::Angle;
using simd::both;
using simd::doubled;
using simd::doubledMask;
using simd::either;
using simd::everywhere;
using simd::MaskOf;
using simd::negated;
using simd::Rotation;
using simd::select;
using simd::Vector3;

/// An angle that may be off by more than this is not certain [rad].
inline constexpr double kMost = 0.05;
/// Errors count as so many times what they are expected to be. With it nearly parallel and nearly
/// intersecting axes lose no branch, and few poses are marked.
inline constexpr double kSafe = 8.0;
/// A line that misses or cuts a circle by less touches it, whatever the error.
inline constexpr double kTouch = 1e-12;
/// The square of a length that is taken for none.
inline constexpr double kNone = 1e-60;

/// A scalar product with a turning vector: h . turn(k, u, p) = middle + cosine cos u + sine sin u.
template <class Number>
struct Arc {
  Number middle, cosine, sine;
};

template <class A, class B, class C>
GENERATIVE_IK_INLINE auto arcOf(const Vector3<A>& h, const Vector3<B>& k, const Vector3<C>& p) {
  const auto middle = dot(h, k) * dot(k, p);
  return Arc<std::remove_const_t<decltype(middle)>>{middle, dot(h, p) - middle,
                                                    dot(h, cross(k, p))};
}

/// An angle, how far it is expected to be off [rad], and whether it is defined at all.
template <class Number>
struct AngleBetween {
  Angle<Number> angle;
  Number off;
  MaskOf<Number> defined;
};

/// The angle about the unit axis k that turns p nearest to q (subproblem 1).
///
/// It is not defined where p or q lies on the axis, then any angle does as well. `error` is how
/// far p and q are expected to be off.
template <class Number, class A, class B>
GENERATIVE_IK_INLINE AngleBetween<Number> angleBetween(const Vector3<A>& p, const Vector3<B>& q,
                                                       const Vector3<double>& k,
                                                       const Number& error) {
  // First across the axis, so that what is near it keeps its digits.
  const Vector3<A> v = cross(k, p);
  const Vector3<B> w = cross(k, q);
  const Number c = dot(v, w);
  const Number s = dot(k, cross(v, w));
  const Number square = c * c + s * s;
  const MaskOf<Number> some = Number(kNone) < square;
  const Number per_size = 1.0 / simd::squareRoot(select(some, square, Number(1.0)));
  const Number off = error * simd::squareRoot(per_size);
  const MaskOf<Number> defined = both(Number(kTouch * kTouch) < square, off < Number(kMost));
  return {{select(some, c * per_size, Number(1.0)), s * per_size},
          select(defined, off, Number(0.0)),
          defined};
}

/// One of two angles.
template <class Number>
struct AngleOnLine {
  MaskOf<Number> exists;
  Angle<Number> angle;
  Number off;  // how far it is expected to be off [rad]
  MaskOf<Number> certain;
};

/// Solves a cos u + b sin u = d (subproblem 4; 3, of distances, has the same form).
///
/// `choice` says which angle to return where there are two: 1 for the first, -1 for the second.
/// `error` is how far the coefficients are expected to be off. The answer is not certain where the
/// line touches the circle or misses it by no more than the error, then the nearest angle is
/// returned, or where almost any angle solves the equation.
template <class Number>
GENERATIVE_IK_INLINE AngleOnLine<Number> angleOnLine(const Number& a, const Number& b,
                                                     const Number& d, const Number& error,
                                                     const Number& choice) {
  const Number zero = 0.0;
  const Number one = 1.0;
  const Number square = a * a + b * b;
  const Number radius = simd::squareRoot(square);
  const Number margin = simd::larger(error * kSafe, Number(kTouch));
  const Number away = absolute(d);
  const MaskOf<Number> missed = radius + margin < away;
  const MaskOf<Number> any_angle = negated(margin < radius);
  const Number rest = simd::clamp(d, -radius, radius);
  const Number half = simd::squareRoot((radius - rest) * (radius + rest));
  const Number per_square = one / select(Number(1e-200) < square, square, one);
  const Number aside = choice * half;
  const MaskOf<Number> two = both(zero < half, negated(any_angle));
  const MaskOf<Number> certain =
      both(both(Number(kTouch) < square, margin < radius - away), error < half * kMost);
  const Number off = error / select(Number(1e-200) < half, half, one);
  return {both(either(two, zero < choice), negated(missed)),
          {select(any_angle, one, (a * rest - b * aside) * per_square),
           select(any_angle, zero, (b * rest + a * aside) * per_square)},
          select(certain, off, zero),
          either(missed, certain)};
}

}  // namespace generative_ik::closed_form

/// A slide and a turn that bring two points to the same height and distance.
///
/// Joint 2 keeps the distance of what it moves from a point on its axis, and its height along the
/// axis. On one side of it a prismatic joint moves a point along a line, s = x + q a; on the other
/// a revolute one moves a point round a circle, y = f + turn(k, u, p). All are seen from joint 2:
///
///     h . s = h . y    and    |s| = |y|
///
/// That is a line and a quadratic equation where one of them has one unknown only, else a quartic
/// in the angle.
#pragma once

#include "branches.hpp"
#include "trigonometric.hpp"

namespace generative_ik::closed_form {

/// Both angles of `angleOnLine`.
struct AnglesOnLine {
  int count;
  Angle<double> angles[2];  // NOLINT(*-avoid-c-arrays)
  double off;
  bool certain;
};

GENERATIVE_IK_INLINE AnglesOnLine anglesOnLine(double a, double b, double d, double error) {
  const AngleOnLine<double> first = angleOnLine(a, b, d, error, 1.0);
  const AngleOnLine<double> second = angleOnLine(a, b, d, error, -1.0);
  const int count = first.exists ? (second.exists ? 2 : 1) : 0;
  return {count, {first.angle, second.angle}, first.off, first.certain};
}

/// Solutions of a quadratic equation, how far they are expected to be off, and whether that is
/// certain.
struct Slides {
  int count;
  double values[2];  // NOLINT(*-avoid-c-arrays)
  double off;
  bool certain;
};

/// Solves a q q + 2 b q + c = 0; `error` is how far the coefficients are expected to be off. It is
/// not certain where the two solutions are one, or nearly, then that one is returned.
GENERATIVE_IK_INLINE Slides slidesOf(double a, double b, double c, double error) {
  // Slides longer than this are none [shares of the arm's length, in which its travel counts].
  constexpr double kFar = 1e4;
  const double square = b * b - a * c;
  const double noise = error * (2.0 * std::fabs(b) + std::fabs(a) + std::fabs(c));
  const double margin = simd::larger(kSafe * noise, kTouch * simd::larger(a * a, b * b));
  if (square < -margin) {
    return {0, {0.0, 0.0}, 0.0, true};
  }
  const bool certain = square > margin;
  const double root = std::sqrt(simd::larger(square, 0.0));
  const double longer = -(b + std::copysign(root, b));
  if (std::fabs(longer) < 1e-30) {
    return {1, {0.0, 0.0}, 0.0, false};
  }
  Slides result = {1, {c / longer, 0.0}, 0.0, certain};
  if (std::fabs(longer) < kFar * std::fabs(a)) {
    result.values[1] = longer / a;
    result.count = root > 0.0 ? 2 : 1;
  }
  const double farther =
      1.0 + simd::larger(std::fabs(result.values[0]), std::fabs(result.values[1]));
  result.off = certain ? error * farther * farther / (2.0 * root) : 0.0;
  if (result.off > kMost) {
    result.off = 0.0;
    result.certain = false;
  }
  if (std::fabs(result.values[0]) > kFar) {
    return {0, {0.0, 0.0}, 0.0, result.certain};
  }
  return result;
}

/// What follows first: the angle from the height, the line being at right angles to the axis; the
/// slide from the height, the circle being parallel to it; the slide from the distance, as the
/// axes of both turns intersect; or both from a quartic.
enum class SlideOrder { kAngleFirst, kSlideByHeight, kSlideByDistance, kBoth };

struct SlidingLine {
  Vector3<double> start;
  Vector3<double> direction;  // of length one

  [[nodiscard]] GENERATIVE_IK_INLINE Vector3<double> at(double q) const {
    return start + q * direction;
  }
};

struct Circle {
  Vector3<double> centre;
  Vector3<double> axis;
  Vector3<double> radius;
  double way;  // 1 or -1, by which the angle is multiplied

  [[nodiscard]] GENERATIVE_IK_INLINE Vector3<double> at(const Angle<double>& u) const {
    return centre + turn(axis, Angle<double>{u.cosine, way * u.sine}, radius);
  }
};

struct SlidePair {
  Angle<double> angle;
  double slide;
  double off;  // how far both are expected to be off
};

struct SlidePairs {
  SlidePair pairs[kPairs] = {};  // NOLINT(*-avoid-c-arrays)
  int count = 0;
  bool sure = true;

  GENERATIVE_IK_INLINE void put(const Angle<double>& angle, double slide, double off) {
    pairs[count] = {angle, slide, off};
    ++count;
  }
};

/// The two equations, h . s = h . y and |s| = |y|, as
///
///     rise q = height + a cos u + b sin u
///     squares + 2 forth q + q q = apart + 2 (c cos u + d sin u)
struct SlideEquations {
  double rise, forth, squares, height, a, b, apart, c, d;
  double size;  // the most that |y| can be
};

GENERATIVE_IK_INLINE SlideEquations slideEquations(const SlidingLine& line, const Circle& circle,
                                                   const Vector3<double>& h) {
  const Vector3<double>& x = line.start;
  const Vector3<double>& f = circle.centre;
  const Vector3<double>& p = circle.radius;
  const Arc<double> up = arcOf(h, circle.axis, p);
  const Arc<double> out = arcOf(f, circle.axis, p);
  return {dot(h, line.direction),
          dot(x, line.direction),
          dot(x, x),
          dot(h, f) + up.middle - dot(h, x),
          up.cosine,
          circle.way * up.sine,
          dot(f, f) + dot(p, p) + 2.0 * out.middle,
          out.cosine,
          circle.way * out.sine,
          std::sqrt(dot(f, f)) + std::sqrt(dot(p, p))};
}

/// The pairs where the angle follows from the height, then the slide.
GENERATIVE_IK_INLINE void findAnglesFirst(const SlideEquations& e, const Circle& circle,
                                          double error, SlidePairs& found) {
  const AnglesOnLine turns = anglesOnLine(e.a, e.b, -e.height, error);
  found.sure = turns.certain;
  for (int i = 0; i < turns.count; ++i) {
    const Vector3<double> y = circle.at(turns.angles[i]);
    const Slides slides =
        slidesOf(1.0, e.forth, e.squares - dot(y, y), error + 2.0 * e.size * turns.off);
    found.sure = found.sure && slides.certain;
    for (int j = 0; j < slides.count; ++j) {
      found.put(turns.angles[i], slides.values[j], turns.off + slides.off);
    }
  }
}

/// The pairs where the slide follows from the height or the distance, then the angle.
GENERATIVE_IK_INLINE void findSlidesFirst(const SlideEquations& e, bool by_height, double error,
                                          SlidePairs& found) {
  const Slides slides = by_height
                            ? Slides{1, {e.height / e.rise, 0.0}, error / std::fabs(e.rise), true}
                            : slidesOf(1.0, e.forth, e.squares - e.apart, error);
  found.sure = slides.certain;
  for (int i = 0; i < slides.count; ++i) {
    const double q = slides.values[i];
    const AnglesOnLine turns =
        by_height ? anglesOnLine(e.c, e.d, (e.squares + 2.0 * e.forth * q + q * q - e.apart) / 2.0,
                                 error + (std::fabs(e.forth) + std::fabs(q)) * slides.off)
                  : anglesOnLine(e.a, e.b, e.rise * q - e.height, error + slides.off);
    found.sure = found.sure && turns.certain;
    for (int j = 0; j < turns.count; ++j) {
      found.put(turns.angles[j], q, slides.off + turns.off);
    }
  }
}

/// The pairs where both equations have both unknowns.
GENERATIVE_IK_INLINE void findBoth(const SlideEquations& e, double error, SlidePairs& found) {
  constexpr double kRounding = 3e-14;  // of the quartic, as a share of its coefficients
  // (rise q)^2 + 2 rise forth (rise q) = rise^2 (...), with rise q of the first equation.
  const double square = e.rise * e.rise;
  const double twice = 2.0 * e.rise * e.forth;
  const TrigonometricPolynomial<2> f = {
      {e.height * e.height + (e.a * e.a + e.b * e.b) / 2.0 + twice * e.height +
           square * (e.squares - e.apart),
       2.0 * e.height * e.a + twice * e.a - 2.0 * square * e.c, (e.a * e.a - e.b * e.b) / 2.0},
      {0.0, 2.0 * e.height * e.b + twice * e.b - 2.0 * square * e.d, e.a * e.b}};
  const double bound = f.largestDerivative(2);
  const double steep = std::fabs(e.rise);
  const double noise = kRounding * (std::fabs(f.cosines[0]) + bound) +
                       4.0 * error * steep * (1.0 + steep) * (e.size + std::sqrt(e.squares));
  if (bound < 1e-30) {
    found.sure = std::fabs(f.cosines[0]) > noise;
    return;
  }
  const double sixth = f.largestDerivative(6);
  double angle = kStart;
  while (angle < kEnd && found.count < kPairs) {
    const Zero zero = nextZero(f, sixth, angle, kSafe * noise);
    angle = zero.next;
    if (zero.angle >= kEnd) {
      break;
    }
    const Angle<double> u = {std::cos(zero.angle), std::sin(zero.angle)};
    double off = noise / simd::larger(std::fabs(f.at(zero.angle).f1), noise);
    off += (error + off * (std::fabs(e.a) + std::fabs(e.b))) / steep;
    found.sure = found.sure && zero.simple && off <= kMost;
    found.put(u, (e.height + e.a * u.cosine + e.b * u.sine) / e.rise, off <= kMost ? off : 0.0);
  }
}

/// Finds the pairs; h is the direction of joint 2's axis, and `error` how far line and circle are
/// expected to be off.
GENERATIVE_IK_INLINE void findSlidePairs(SlideOrder order, const SlidingLine& line,
                                         const Circle& circle, const Vector3<double>& h,
                                         double error, SlidePairs& found) {
  const SlideEquations equations = slideEquations(line, circle, h);
  if (order == SlideOrder::kBoth) {
    findBoth(equations, error, found);
  } else if (order == SlideOrder::kAngleFirst) {
    findAnglesFirst(equations, circle, error, found);
  } else {
    findSlidesFirst(equations, order == SlideOrder::kSlideByHeight, error, found);
  }
}

}  // namespace generative_ik::closed_form

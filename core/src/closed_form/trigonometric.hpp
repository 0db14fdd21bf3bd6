/// All real zeros of a trigonometric polynomial, none missed: steps that cannot jump over one.
///
/// Taylor's formula bounds f and f'' near an angle. So f cannot vanish within a known distance,
/// and where |f| is small enough against f' there is exactly one zero within another (Newton and
/// Kantorovich: L. V. Kantorovich, Functional analysis and applied mathematics, 1948). Once round
/// the circle finds each zero, and says where rounding could hide two of them, or show two where
/// there are none.
#pragma once

#include <cmath>

#include "../simd/masks.hpp"

namespace generative_ik::closed_form {

/// Where the circle begins [rad]: no place where the zeros of real arms like to be.
inline constexpr double kStart = -3.0271;
inline constexpr double kEnd = kStart + 2.0 * 3.1415926535897931;
inline constexpr int kMostZeros = 32;

/// The next zero [rad], beyond `kEnd` if there is none; where to go on from; and whether it is one
/// simple zero. If not, f touches zero there or nearly does.
struct Zero {
  double angle;
  double next;
  bool simple;
};

/// f(u) = sum over k of cosines[k] cos(k u) + sines[k] sin(k u).
template <int Degree>
struct TrigonometricPolynomial {
  double cosines[Degree + 1];  // NOLINT(*-avoid-c-arrays)
  double sines[Degree + 1];    // NOLINT(*-avoid-c-arrays): that of k = 0 does not count

  /// f and its first five derivatives at an angle.
  struct Derivatives {
    double f, f1, f2, f3, f4, f5;
  };

  [[nodiscard]] GENERATIVE_IK_INLINE Derivatives at(double angle) const {
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    double x = 1.0;  // cos(k u)
    double y = 0.0;  // sin(k u)
    Derivatives result = {cosines[0], 0.0, 0.0, 0.0, 0.0, 0.0};
    for (int k = 1; k <= Degree; ++k) {
      const double ahead = x * c - y * s;
      y = x * s + y * c;
      x = ahead;
      const double value = cosines[k] * x + sines[k] * y;
      const double slope = k * (sines[k] * x - cosines[k] * y);
      const double square = k * k;
      result.f += value;
      result.f1 += slope;
      result.f2 -= value * square;
      result.f3 -= slope * square;
      result.f4 += value * square * square;
      result.f5 += slope * square * square;
    }
    return result;
  }

  /// A bound of a derivative anywhere.
  [[nodiscard]] GENERATIVE_IK_INLINE double largestDerivative(int order) const {
    double most = 0.0;
    for (int k = 1; k <= Degree; ++k) {
      double power = 1.0;
      for (int i = 0; i < order; ++i) {
        power *= k;
      }
      most += power * std::sqrt(cosines[k] * cosines[k] + sines[k] * sines[k]);
    }
    return most;
  }
};

/// A distance within which f stays further than `depth` from zero, 0 if none is found.
///
/// On an interval a polynomial lies between the least and the largest of its coefficients in
/// Bernstein's basis (S. Bernstein, 1912; here of Taylor's, of degree five).
template <class Derivatives>
GENERATIVE_IK_INLINE double clearDistance(const Derivatives& at, double sixth, double depth,
                                          double width) {
  constexpr int kHalvings = 7;
  const double sign = std::copysign(1.0, at.f);
  for (int i = 0; i < kHalvings; ++i) {
    const double square = width * width;
    const double a = sign * at.f1 * width / 5.0;
    const double b = sign * at.f2 * square / 20.0;
    const double c = sign * at.f3 * square * width / 60.0;
    const double d = sign * at.f4 * square * square / 120.0;
    const double e = sign * at.f5 * square * square * width / 120.0;
    double least = simd::smaller(0.0, a);
    least = simd::smaller(least, 2.0 * a + b);
    least = simd::smaller(least, 3.0 * (a + b) + c);
    least = simd::smaller(least, 4.0 * (a + c) + 6.0 * b + d);
    least = simd::smaller(least, 5.0 * (a + d) + 10.0 * (b + c) + e);
    if (std::fabs(at.f) + least - square * square * square * sixth / 720.0 > depth) {
      return width;
    }
    width /= 2.0;
  }
  return 0.0;
}

/// The one zero in an interval where the slope keeps its sign.
template <int Degree>
GENERATIVE_IK_INLINE double refinedZero(const TrigonometricPolynomial<Degree>& f, double angle,
                                        double within, double value, double slope) {
  constexpr int kNewtonSteps = 12;
  double zero = angle;
  for (int i = 0; i < kNewtonSteps; ++i) {
    const double step = value / slope;
    zero = simd::smaller(angle + within, simd::larger(angle, zero - step));
    if (std::fabs(step) < 1e-9) {
      break;
    }
    const auto at = f.at(zero);
    value = at.f;
    slope = at.f1;
  }
  return zero;
}

/// Goes on to the next zero of a polynomial.
///
/// `sixth` bounds the sixth derivative, and `angle` is where to go on from [rad]. Where f changes
/// its sign and back without going further than `depth` to the other side, or comes as near to
/// zero, it is not told whether it has zeros.
template <int Degree>
GENERATIVE_IK_INLINE Zero nextZero(const TrigonometricPolynomial<Degree>& f, double sixth,
                                   double angle, double depth) {
  // The largest distance within which f'' is bounded [rad]; others are fourths of it, and so on.
  constexpr double kWidest = 0.6;
  constexpr int kWidths = 9;
  constexpr double kShortest = 1e-7;  // least step [rad]
  while (angle < kEnd) {
    const auto at = f.at(angle);
    const double clear = clearDistance(at, sixth, depth, kWidest);
    if (clear > 0.0) {
      angle += clear;
      continue;
    }
    const double size = std::fabs(at.f);
    const double towards = at.f < 0.0 ? at.f1 : -at.f1;
    double ahead = 0.0;
    double within = 0.0;
    double curved = 0.0;
    double width = kWidest;
    for (int i = 0; i < kWidths; ++i) {
      const double square = width * width;
      const double bound = std::fabs(at.f2) +
                           width * (std::fabs(at.f3) + width * (std::fabs(at.f4) / 2.0 +
                                                                width * std::fabs(at.f5) / 6.0)) +
                           square * square * sixth / 24.0 + 1e-300;
      curved = bound;
      const double rest = towards * towards - 2.0 * bound * size;
      const bool deep = towards > 0.0 && rest > 0.0 && towards * towards > 2.0 * bound * depth;
      if (deep && towards - std::sqrt(rest) <= width * bound) {
        within = simd::smaller(width, towards / bound);
        break;
      }
      // What rounding may hide of f is no room.
      const double room = simd::larger(size - depth, 0.0);
      const double free = std::sqrt(towards * towards + 2.0 * bound * room) - towards;
      ahead = simd::larger(ahead, simd::smaller(width, free / bound));
      width /= 4.0;
    }
    if (within > 0.0) {
      return {refinedZero(f, angle, within, at.f, at.f1), angle + within, true};
    }
    const bool flat = towards * towards <= 2.0 * curved * depth;
    if (ahead < kShortest || (size < depth && flat)) {
      const double beyond = 4.0 * std::sqrt(depth / curved);
      return {angle, angle + simd::smaller(0.1, simd::larger(beyond, 2.0 * kShortest)), false};
    }
    angle += ahead;
  }
  return {kEnd + 1.0, angle, true};
}

/// The zeros of a polynomial, and whether these are surely all.
// NOLINTNEXTLINE(*-member-init): what is behind the last is not read
struct Zeros {
  double angles[kMostZeros];  // NOLINT(*-avoid-c-arrays): [rad]
  int count = 0;
  bool sure = true;
};

template <int Degree>
GENERATIVE_IK_INLINE void findZeros(const TrigonometricPolynomial<Degree>& f, double depth,
                                    Zeros& zeros) {
  constexpr int kMostTouching = 8;
  const double sixth = f.largestDerivative(6);
  zeros.count = 0;
  zeros.sure = sixth > 0.0;
  double angle = zeros.sure ? kStart : kEnd;
  int touching = 0;
  while (angle < kEnd) {
    const Zero zero = nextZero(f, sixth, angle, depth);
    angle = zero.next;
    if (zero.angle >= kEnd) {
      break;
    }
    if (!zero.simple) {
      zeros.sure = false;
      ++touching;
    }
    if (touching > kMostTouching || zeros.count == kMostZeros) {
      zeros.sure = false;
      return;
    }
    zeros.angles[zeros.count] = zero.angle;
    ++zeros.count;
  }
}

}  // namespace generative_ik::closed_form

/// Two angles from two equations that are linear in their cosines and sines.
///
///     a cos u + b sin u + p cos v + q sin v = d,    two of them
///
/// Both the first three joints of an arm with a spherical wrist and joints 1 and 5 of one with
/// three parallel axes come down to this (subproblem 6 of Elias and Wen; 5 and 2 are cases of it).
/// Where one of the equations has one angle only, two circles and lines do; else a quartic in one
/// angle.
#pragma once

#include "branches.hpp"
#include "trigonometric.hpp"

namespace generative_ik::closed_form {

struct PairEquation {
  double a, b, p, q, d;
};

/// A block of pairs.
template <class Number>
struct AnglePairs {
  MaskOf<Number> exists;
  Angle<Number> u, v;
  Number off;               // how far the angles are expected to be off [rad]
  MaskOf<Number> doubtful;  // whether there may be other pairs
};

/// Pairs where one of the equations has one angle only; `of_second` says whether that is v.
/// `error` is how far the coefficients are expected to be off.
class DecoupledPairs {
 public:
  GENERATIVE_IK_INLINE DecoupledPairs(const PairEquation& single, const PairEquation& other,
                                      bool of_second, double error)
      : single_(of_second ? swapped(single) : single),
        other_(of_second ? swapped(other) : other),
        of_second_(of_second),
        error_(error) {}

  template <class Number>
  [[nodiscard]] GENERATIVE_IK_INLINE AnglePairs<Number> block(int index) const {
    const Number error = error_;
    const AngleOnLine<Number> one =
        angleOnLine(Number(single_.a), Number(single_.b), Number(single_.d), error,
                    firstChoice<Number>(index));
    const Number level = other_.d - other_.a * one.angle.cosine - other_.b * one.angle.sine;
    const AngleOnLine<Number> two = angleOnLine(Number(other_.p), Number(other_.q), level,
                                                one.off + error, secondChoice<Number>(index));
    const MaskOf<Number> doubtful =
        either(negated(one.certain), both(one.exists, negated(two.certain)));
    return {both(one.exists, two.exists), of_second_ ? two.angle : one.angle,
            of_second_ ? one.angle : two.angle, one.off + two.off, doubtful};
  }

 private:
  GENERATIVE_IK_INLINE static PairEquation swapped(const PairEquation& equation) {
    return {equation.p, equation.q, equation.a, equation.b, equation.d};
  }

  PairEquation single_;
  PairEquation other_;
  bool of_second_;
  double error_;
};

/// Four rows of numbers that are computed one after the other, to be read as a block of pairs.
struct PairRows {
  /// What is beyond `count` is of no meaning.
  static constexpr int kColumns = 5;
  double columns[kColumns][kPairs] = {};  // NOLINT(*-avoid-c-arrays)
  int count = 0;
  bool sure = true;

  template <class Number>
  [[nodiscard]] GENERATIVE_IK_INLINE Number column(int index, int block) const {
    return simd::load<Number>(columns[index] + block * simd::kWidth<Number>);
  }

  /// Whether a lane is that of a row.
  template <class Number>
  [[nodiscard]] GENERATIVE_IK_INLINE MaskOf<Number> exists(int block) const {
    return simd::lanesOf<Number>([block](int k) {
             return static_cast<double>(block * simd::kWidth<Number> + k);
           }) < Number(static_cast<double>(count));
  }
};

/// Pairs where both equations have both angles and (p, q) is parallel in neither.
class CoupledPairs {
 public:
  GENERATIVE_IK_INLINE CoupledPairs(const PairEquation& first, const PairEquation& second,
                                    double error);

  template <class Number>
  [[nodiscard]] GENERATIVE_IK_INLINE AnglePairs<Number> block(int index) const {
    return {rows_.exists<Number>(index),
            {rows_.column<Number>(0, index), rows_.column<Number>(1, index)},
            {rows_.column<Number>(2, index), rows_.column<Number>(3, index)},
            rows_.column<Number>(4, index),
            everywhere<Number>(!rows_.sure)};
  }

 private:
  PairRows rows_;
};

GENERATIVE_IK_INLINE CoupledPairs::CoupledPairs(const PairEquation& first,
                                                const PairEquation& second, double error) {
  constexpr double kRounding = 3e-14;  // of the quartic, as a share of its coefficients
  const auto& [a, b, p, q, d] = first;
  const auto& [g, h, m, n, e] = second;
  // By Cramer's rule (cos v, sin v) is linear in (cos u, sin u); its length has to be one.
  const double size = p * n - q * m;
  const double x0 = n * d - q * e;
  const double xc = q * g - n * a;
  const double xs = q * h - n * b;
  const double y0 = p * e - m * d;
  const double yc = m * a - p * g;
  const double ys = m * b - p * h;
  const TrigonometricPolynomial<2> f = {
      {x0 * x0 + y0 * y0 + (xc * xc + yc * yc + xs * xs + ys * ys) / 2.0 - size * size,
       2.0 * (x0 * xc + y0 * yc), (xc * xc + yc * yc - xs * xs - ys * ys) / 2.0},
      {0.0, 2.0 * (x0 * xs + y0 * ys), xc * xs + yc * ys}};
  const double bound = f.largestDerivative(2);
  const double largest = simd::larger(simd::larger(std::fabs(p), std::fabs(q)),
                                      simd::larger(std::fabs(m), std::fabs(n)));
  // At a zero (x, y) is as long as `size`.
  const double noise =
      kRounding * (std::fabs(f.cosines[0]) + bound) + 2.0 * error * largest * std::fabs(size);
  const double sixth = f.largestDerivative(6);
  double angle = kStart;
  if (bound < 1e-30) {
    rows_.sure = std::fabs(f.cosines[0]) > error;
    angle = kEnd;
  }
  while (angle < kEnd && rows_.count < kPairs) {
    const Zero zero = nextZero(f, sixth, angle, kSafe * noise);
    angle = zero.next;
    if (zero.angle >= kEnd) {
      break;
    }
    rows_.sure = rows_.sure && zero.simple;
    const double c = std::cos(zero.angle);
    const double s = std::sin(zero.angle);
    const double x = (x0 + xc * c + xs * s) / size;
    const double y = (y0 + yc * c + ys * s) / size;
    const double length = std::sqrt(x * x + y * y);
    if (length < 0.5) {
      continue;
    }
    double off = noise / simd::larger(std::fabs(f.at(zero.angle).f1), noise);
    // A turn of u moves the two lines, which cross in the point that v is.
    off += (error + off) * largest / std::fabs(size);
    if (off > kMost) {
      off = 0.0;
      rows_.sure = false;
    }
    const int k = rows_.count;
    rows_.columns[0][k] = c;
    rows_.columns[1][k] = s;
    rows_.columns[2][k] = x / length;
    rows_.columns[3][k] = y / length;
    rows_.columns[4][k] = off;
    ++rows_.count;
  }
}

}  // namespace generative_ik::closed_form

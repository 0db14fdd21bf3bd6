/// Angles as points on the unit circle, and back.
#pragma once

#include "masks.hpp"

namespace generative_ik::simd {

/// An angle by its cosine and sine.
template <class Number>
struct Angle {
  Number cosine, sine;
};

template <class Number>
GENERATIVE_IK_INLINE Angle<Number> angleOf(const Number& radians) {
  Number sine = 0.0;
  Number cosine = 0.0;
  halfAngle(radians, sine, cosine);
  return {cosine * cosine - sine * sine, sine * cosine * 2.0};
}

/// The angle in radians, from -pi to pi: what `atan2` does, without a division.
///
/// The angle is turned into the first eighth of the circle, then back by the middle of that half
/// of it in which it lies. The sine x of what is left is at most that of 11.25 degrees, where the
/// arc sine is the sum of seven terms of x, x^3, ..., the first of its series in Chebyshev's
/// polynomials on that interval, to rounding.
template <class Number>
GENERATIVE_IK_INLINE Number radiansOf(const Angle<Number>& angle) {
  constexpr double kLow = kPi / 16.0;
  constexpr double kHigh = 3.0 * kPi / 16.0;
  constexpr double kBetween = 0.41421356237309503;  // tan(pi / 8)
  constexpr double kCosineOfLow = 0.9807852804032304;
  constexpr double kSineOfLow = 0.19509032201612825;
  constexpr double kCosineOfHigh = 0.8314696123025452;
  constexpr double kSineOfHigh = 0.5555702330196022;
  // NOLINTNEXTLINE(*-avoid-c-arrays)
  constexpr double kArcSine[] = {1.0,
                                 0.16666666666502405,
                                 0.07500000046450234,
                                 0.044642799304235044,
                                 0.03038563264821568,
                                 0.022246805333025824,
                                 0.019496725864150168};
  const Number x = absolute(angle.cosine);
  const Number y = absolute(angle.sine);
  const Number less = smaller(x, y);
  const Number more = larger(x, y);
  const MaskOf<Number> high = more * kBetween < less;
  const Number c = select(high, Number(kCosineOfHigh), Number(kCosineOfLow));
  const Number s = select(high, Number(kSineOfHigh), Number(kSineOfLow));
  const Number left = less * c - more * s;
  const Number square = left * left;
  Number sum = kArcSine[6];
  for (int k = 5; k >= 0; --k) {
    sum = sum * square + kArcSine[k];
  }
  Number result = left * sum + select(high, Number(kHigh), Number(kLow));
  result = select(x < y, kPi / 2.0 - result, result);
  result = select(angle.cosine < Number(0.0), kPi - result, result);
  return select(angle.sine < Number(0.0), -result, result);
}

/// The angle in radians of a vector of nearly any length; that of none is 0.
template <class Number>
GENERATIVE_IK_INLINE Number radiansOf(const Number& x, const Number& y) {
  constexpr double kNone = 1e-60;
  const Number square = x * x + y * y;
  const MaskOf<Number> some = Number(kNone) < square;
  const Number per_length = 1.0 / squareRoot(select(some, square, Number(1.0)));
  return radiansOf(Angle<Number>{select(some, x * per_length, Number(1.0)), y * per_length});
}

}  // namespace generative_ik::simd

/// Elementary functions of numbers of single precision side by side.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "float_lanes.hpp"
#include "masks.hpp"

namespace generative_ik::simd {

template <int Width>
GENERATIVE_IK_INLINE FloatLanes<Width> absolute(const FloatLanes<Width>& a) {
  if constexpr (Width == 1) {
    return std::fabs(a.value);
  } else {
    using Mask = typename FloatLanes<Width>::Mask;
    return FloatLanes<Width>(typename FloatLanes<Width>::Register(Mask(a.value) & 0x7FFFFFFF));
  }
}

template <int Width>
GENERATIVE_IK_INLINE FloatLanes<Width> squareRoot(const FloatLanes<Width>& a) {
  using Register = typename FloatLanes<Width>::Register;
#ifdef __AVX512F__
  if constexpr (Width == 16) {
    // GCC warns of its own _mm512_sqrt_ps.
    return FloatLanes<Width>(Register(_mm512_maskz_sqrt_ps(0xFFFF, __m512(a.value))));
  }
#endif
#ifdef __AVX__
  if constexpr (Width == 8) {
    return FloatLanes<Width>(Register(_mm256_sqrt_ps(__m256(a.value))));
  }
#endif
#ifdef __SSE2__
  if constexpr (Width == 4) {
    return FloatLanes<Width>(Register(_mm_sqrt_ps(__m128(a.value))));
  }
#endif
  if constexpr (Width == 1) {
    return std::sqrt(a.value);
  } else {
    Register roots{};
    for (int k = 0; k < Width; ++k) {
      roots[k] = std::sqrt(a.value[k]);
    }
    return FloatLanes<Width>(roots);
  }
}

/// The largest whole number that is not above, of numbers up to 2^31.
template <int Width>
GENERATIVE_IK_INLINE FloatLanes<Width> floorOf(const FloatLanes<Width>& a) {
  if constexpr (Width == 1) {
    return std::floor(a.value);
  } else {
    using Register = typename FloatLanes<Width>::Register;
    using Mask = typename FloatLanes<Width>::Mask;
    const Register towards_zero =
        __builtin_convertvector(__builtin_convertvector(a.value, Mask), Register);
    // A mask is -1 where it is set.
    return FloatLanes<Width>(towards_zero +
                             __builtin_convertvector(Mask(a.value < towards_zero), Register));
  }
}

/// 2 to the power of whole numbers from -126 to 127.
template <int Width>
GENERATIVE_IK_INLINE FloatLanes<Width> powerOfTwo(const FloatLanes<Width>& whole) {
  if constexpr (Width == 1) {
    return std::bit_cast<float>((static_cast<std::int32_t>(whole.value) + 127) << 23);
  } else {
    using Mask = typename FloatLanes<Width>::Mask;
    const Mask biased = __builtin_convertvector(whole.value, Mask) + 127;
    return FloatLanes<Width>(typename FloatLanes<Width>::Register(biased << 23));
  }
}

/// The sum of coefficients[i] times x to the power of i.
template <int kCount, class Number>
GENERATIVE_IK_INLINE Number polynomial(const float (&coefficients)[kCount],  // NOLINT(*-c-arrays)
                                       const Number& x) {
  Number sum = coefficients[kCount - 1];
  for (int i = kCount - 2; i >= 0; --i) {
    sum = coefficients[i] + x * sum;
  }
  return sum;
}

/// e^x to a few units in the last place; x counts as -80 or 80 beyond these.
template <class Number>
GENERATIVE_IK_INLINE Number exponential(const Number& x) {
  constexpr float kPerLn2 = 1.44269504F;
  constexpr float kLn2 = 0.69314718F;
  // NOLINTNEXTLINE(*-avoid-c-arrays)
  constexpr float kSeries[] = {1.0F,         1.0F,          1.0F / 2.0F,  1.0F / 6.0F,
                               1.0F / 24.0F, 1.0F / 120.0F, 1.0F / 720.0F};
  const Number within = clamp(x, Number(-80.0F), Number(80.0F));
  const Number whole = floorOf(within * kPerLn2 + 0.5F);
  return polynomial(kSeries, within - whole * kLn2) * powerOfTwo(whole);
}

/// log(1 + e^x), as max(x, 0) + 2 atanh(z) with z = u / (2 + u) and u = e^-|x|.
template <class Number>
GENERATIVE_IK_INLINE Number softplus(const Number& x) {
  // NOLINTNEXTLINE(*-avoid-c-arrays)
  constexpr float kSeries[] = {1.0F, 1.0F / 3.0F, 1.0F / 5.0F, 1.0F / 7.0F, 1.0F / 9.0F};
  const Number u = exponential(-absolute(x));
  const Number z = u / (2.0F + u);
  return larger(x, Number(0.0F)) + 2.0F * z * polynomial(kSeries, z * z);
}

/// sin(x) / x as a function of the square of x, up to a quarter of a turn.
template <class Number>
GENERATIVE_IK_INLINE Number sineSeries(const Number& square) {
  // NOLINTNEXTLINE(*-avoid-c-arrays)
  constexpr float kSeries[] = {
      1.0F, -1.0F / 6.0F, 1.0F / 120.0F, -1.0F / 5040.0F, 1.0F / 362880.0F, -1.0F / 39916800.0F};
  return polynomial(kSeries, square);
}

/// The sine of an angle from -pi to pi.
template <class Number>
GENERATIVE_IK_INLINE Number sineOf(const Number& angle) {
  const Number away = absolute(angle);
  const Number near = smaller(away, kHalfTurn - away);
  return select(angle < Number(0.0F), -near, near) * sineSeries(near * near);
}

/// The cosine of an angle from -pi to pi.
template <class Number>
GENERATIVE_IK_INLINE Number cosineOf(const Number& angle) {
  const Number near = kHalfTurn / 2.0F - absolute(angle);
  return near * sineSeries(near * near);
}

/// An angle turned to between -pi and pi.
template <class Number>
GENERATIVE_IK_INLINE Number halfTurnNearest(const Number& angle) {
  return angle - 2.0F * kHalfTurn * floorOf(angle * (0.5F / kHalfTurn) + 0.5F);
}

/// The angle of the point (x, y) from -pi to pi; 0 at the origin.
template <class Number>
GENERATIVE_IK_INLINE Number arcTangent(const Number& y, const Number& x) {
  // atan(t) / t as a polynomial in t^2 that Chebyshev's points from 0 to 1 determine.
  // NOLINTNEXTLINE(*-avoid-c-arrays)
  constexpr float kSeries[] = {1.0F,          -0.333330363F, 0.199918717F,
                               -0.141977981F, 0.106183708F,  -0.0745685473F,
                               0.0421376228F, -0.015731249F, 0.00276628346F};
  constexpr float kTiny = 1e-30F;
  const Number high = absolute(y);
  const Number wide = absolute(x);
  const Number t = smaller(high, wide) / larger(larger(high, wide), Number(kTiny));
  Number angle = t * polynomial(kSeries, t * t);
  angle = select(wide < high, kHalfTurn / 2.0F - angle, angle);
  angle = select(x < Number(0.0F), kHalfTurn - angle, angle);
  return select(y < Number(0.0F), -angle, angle);
}

}  // namespace generative_ik::simd

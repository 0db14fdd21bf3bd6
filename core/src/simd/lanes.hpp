/// Numbers side by side in one register, which compute like one double.
///
/// Code that is a template over the number type runs on a `double`, on `Lanes`, and on a thread of
/// a GPU. The linker keeps one copy of an inline function, and that copy may need instructions
/// that the processor lacks. So what a translation unit of a set of instructions calls is a
/// template over the lanes of its width, `Lanes<4>` for AVX2, or is compiled into such a template
/// (`GENERATIVE_IK_INLINE`).
#pragma once

#include <concepts>

#include "constants.hpp"

/// In front of what runs on a thread of a GPU, too.
#ifdef __CUDACC__
#define GENERATIVE_IK_DEVICE __host__ __device__
#else
#define GENERATIVE_IK_DEVICE
#endif

/// In front of a part of a kernel: it is compiled into the kernel, whichever the set of
/// instructions, even if it has no lanes among its parameters. Sanitizers would take minutes over
/// such kernels; with them, closed forms have the baseline's instructions alone.
#ifdef GENERATIVE_IK_SANITIZED
#define GENERATIVE_IK_INLINE GENERATIVE_IK_DEVICE inline
#else
#define GENERATIVE_IK_INLINE [[gnu::always_inline]] GENERATIVE_IK_DEVICE inline
#endif

namespace generative_ik::simd {

/// The vector of GCC and Clang that fills a register with so many numbers; its operators work lane
/// by lane, and comparisons give masks of whole numbers.
template <int Width>
struct RegisterOf;
template <>
struct RegisterOf<2> {
  using Type = double __attribute__((vector_size(16)));
  using Mask = long long __attribute__((vector_size(16)));
};
template <>
struct RegisterOf<4> {
  using Type = double __attribute__((vector_size(32)));
  using Mask = long long __attribute__((vector_size(32)));
};
template <>
struct RegisterOf<8> {
  using Type = double __attribute__((vector_size(64)));
  using Mask = long long __attribute__((vector_size(64)));
};

/// As many numbers as fit into a register: 2 (SSE2, NEON), 4 (AVX2) or 8 (AVX-512). Wider ones
/// would live in memory, which is several times slower.
template <int Width>
struct Lanes {
  using Register = typename RegisterOf<Width>::Type;
  using Mask = typename RegisterOf<Width>::Mask;

  Register value;

  Lanes() = default;
  // NOLINTNEXTLINE(google-explicit-constructor,hicpp-explicit-conversions): as from int to double
  GENERATIVE_IK_INLINE Lanes(double all) : value(Register{} + all) {}
  GENERATIVE_IK_INLINE explicit Lanes(Register lanes) : value(lanes) {}

  GENERATIVE_IK_INLINE Lanes& operator+=(const Lanes& other) { return *this = *this + other; }
  GENERATIVE_IK_INLINE Lanes& operator-=(const Lanes& other) { return *this = *this - other; }
  GENERATIVE_IK_INLINE Lanes& operator*=(const Lanes& other) { return *this = *this * other; }

  GENERATIVE_IK_INLINE friend Lanes operator-(const Lanes& a) { return Lanes(-a.value); }
  GENERATIVE_IK_INLINE friend Lanes operator+(const Lanes& a, const Lanes& b) {
    return Lanes(a.value + b.value);
  }
  GENERATIVE_IK_INLINE friend Lanes operator-(const Lanes& a, const Lanes& b) {
    return Lanes(a.value - b.value);
  }
  GENERATIVE_IK_INLINE friend Lanes operator*(const Lanes& a, const Lanes& b) {
    return Lanes(a.value * b.value);
  }
  GENERATIVE_IK_INLINE friend Lanes operator/(const Lanes& a, const Lanes& b) {
    return Lanes(a.value / b.value);
  }
  GENERATIVE_IK_INLINE friend Mask operator<(const Lanes& a, const Lanes& b) {
    return Mask(a.value < b.value);
  }

  /// `a` in the lanes in which the condition holds, `b` in the others.
  GENERATIVE_IK_INLINE friend Lanes select(const Mask& condition, const Lanes& a, const Lanes& b) {
    return Lanes(condition ? a.value : b.value);
  }
};

template <std::floating_point Number>
GENERATIVE_IK_INLINE Number select(bool condition, Number a, Number b) {
  return condition ? a : b;
}

/// How many numbers are side by side: 1 for a double, and for a float.
template <class Number>
inline constexpr int kWidth = sizeof(Number) / sizeof(double);
template <std::floating_point Number>
inline constexpr int kWidth<Number> = 1;

/// What a comparison gives: a mask, or a bool for a double.
template <class Number>
using MaskOf = decltype(Number() < Number());

/// The value if it lies between the bounds, else the nearer bound; NaN becomes the lower one.
template <class Number>
GENERATIVE_IK_INLINE Number clamp(const Number& value, const Number& lower, const Number& upper) {
  const Number above = select(lower < value, value, lower);
  return select(upper < above, upper, above);
}

/// The nearest whole number, of numbers up to 2^51.
template <class Number>
GENERATIVE_IK_INLINE Number nearestInteger(const Number& value) {
  // What is added leaves no bits for the fraction.
  constexpr double kRounder = 6755399441055744.0;
  return (value + Number(kRounder)) - Number(kRounder);
}

/// Sine and cosine of half an angle [rad] up to one common sign, which a rotation does not see.
///
/// The half angle is reduced to [-pi/2, pi/2], where Taylor's series of degree 19 and 20 are exact
/// to rounding. Exact reduction ends at some 1e8 turns.
template <class Number>
GENERATIVE_IK_INLINE void halfAngle(const Number& angle, Number& sine, Number& cosine) {
  constexpr double kPiRest = 1.2246467991473532e-16;
  const Number half = angle * Number(0.5);
  const Number turns = nearestInteger(half * Number(1.0 / kPi));
  const Number x = (half - turns * Number(kPi)) - turns * Number(kPiRest);
  const Number s = x * x;
  sine = Number(-1.0 / 121645100408832000.0);
  cosine = s * Number(1.0 / 2432902008176640000.0) - Number(1.0 / 6402373705728000.0);
  // NOLINTBEGIN(*-avoid-c-arrays)
  constexpr double kSine[] = {1.0 / 355687428096000.0,
                              -1.0 / 1307674368000.0,
                              1.0 / 6227020800.0,
                              -1.0 / 39916800.0,
                              1.0 / 362880.0,
                              -1.0 / 5040.0,
                              1.0 / 120.0,
                              -1.0 / 6.0,
                              1.0};
  constexpr double kCosine[] = {1.0 / 20922789888000.0,
                                -1.0 / 87178291200.0,
                                1.0 / 479001600.0,
                                -1.0 / 3628800.0,
                                1.0 / 40320.0,
                                -1.0 / 720.0,
                                1.0 / 24.0,
                                -1.0 / 2.0,
                                1.0};
  // NOLINTEND(*-avoid-c-arrays)
  for (int k = 0; k < 9; ++k) {
    sine = sine * s + Number(kSine[k]);
    cosine = cosine * s + Number(kCosine[k]);
  }
  sine *= x;
}

/// The same in single precision, where shorter series are exact to rounding, up to some 1e3 turns.
GENERATIVE_IK_INLINE void halfAngle(const float& angle, float& sine, float& cosine) {
  constexpr float kPiRest = -8.74227766e-8F;
  // What is added leaves no bits for the fraction.
  constexpr float kRounder = 12582912.0F;
  // NOLINTBEGIN(*-avoid-c-arrays)
  constexpr float kSine[] = {1.0F / 362880.0F, -1.0F / 5040.0F, 1.0F / 120.0F, -1.0F / 6.0F, 1.0F};
  constexpr float kCosine[] = {-1.0F / 3628800.0F, 1.0F / 40320.0F, -1.0F / 720.0F,
                               1.0F / 24.0F,       -1.0F / 2.0F,    1.0F};
  // NOLINTEND(*-avoid-c-arrays)
  const float half = angle * 0.5F;
  const float turns = (half * (1.0F / kHalfTurn) + kRounder) - kRounder;
  const float x = (half - turns * kHalfTurn) - turns * kPiRest;
  const float s = x * x;
  sine = -1.0F / 39916800.0F;
  cosine = 1.0F / 479001600.0F;
  for (const float coefficient : kSine) {
    sine = sine * s + coefficient;
  }
  for (const float coefficient : kCosine) {
    cosine = cosine * s + coefficient;
  }
  sine *= x;
}

}  // namespace generative_ik::simd

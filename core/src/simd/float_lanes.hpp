/// Numbers of single precision side by side in one register: twice as many as of `Lanes`.
#pragma once

#include "lanes.hpp"

namespace generative_ik::simd {

/// The vector of GCC and Clang that fills a register with so many numbers of single precision.
template <int Width>
struct FloatRegisterOf;
template <>
struct FloatRegisterOf<1> {
  using Type = float;
  using Mask = bool;
};
template <>
struct FloatRegisterOf<2> {
  using Type = float __attribute__((vector_size(8)));
};
template <>
struct FloatRegisterOf<4> {
  using Type = float __attribute__((vector_size(16)));
  using Mask = int __attribute__((vector_size(16)));
};
template <>
struct FloatRegisterOf<8> {
  using Type = float __attribute__((vector_size(32)));
  using Mask = int __attribute__((vector_size(32)));
};
template <>
struct FloatRegisterOf<16> {
  using Type = float __attribute__((vector_size(64)));
  using Mask = int __attribute__((vector_size(64)));
};

/// As many as fit into a register: 4 (SSE2, NEON), 8 (AVX2) or 16 (AVX-512); on a thread of a
/// GPU 1.
template <int Width>
struct FloatLanes {
  using Register = typename FloatRegisterOf<Width>::Type;
  using Mask = typename FloatRegisterOf<Width>::Mask;
  static constexpr int kWidth = Width;

  Register value;

  FloatLanes() = default;
  // NOLINTNEXTLINE(google-explicit-constructor,hicpp-explicit-conversions): as from int to float
  GENERATIVE_IK_INLINE FloatLanes(float all) : value(all - Register{}) {}
  GENERATIVE_IK_INLINE explicit FloatLanes(Register lanes)
    requires(Width > 1)
      : value(lanes) {}

  GENERATIVE_IK_INLINE static FloatLanes load(const float* memory) {
    if constexpr (Width == 1) {
      return *memory;  // nvcc would copy bytes
    } else {
      FloatLanes lanes;
      __builtin_memcpy(&lanes.value, memory, sizeof lanes.value);
      return lanes;
    }
  }
  GENERATIVE_IK_INLINE void store(float* memory) const {
    if constexpr (Width == 1) {
      *memory = value;
    } else {
      __builtin_memcpy(memory, &value, sizeof value);
    }
  }
  [[nodiscard]] GENERATIVE_IK_INLINE float lane(int index) const { return value[index]; }

  GENERATIVE_IK_INLINE friend FloatLanes operator+(const FloatLanes& a, const FloatLanes& b) {
    return FloatLanes(a.value + b.value);
  }
  GENERATIVE_IK_INLINE friend FloatLanes operator-(const FloatLanes& a, const FloatLanes& b) {
    return FloatLanes(a.value - b.value);
  }
  GENERATIVE_IK_INLINE friend FloatLanes operator*(const FloatLanes& a, const FloatLanes& b) {
    return FloatLanes(a.value * b.value);
  }
  GENERATIVE_IK_INLINE friend FloatLanes operator/(const FloatLanes& a, const FloatLanes& b) {
    return FloatLanes(a.value / b.value);
  }
  GENERATIVE_IK_INLINE friend FloatLanes operator-(const FloatLanes& a) {
    return FloatLanes(-a.value);
  }
  GENERATIVE_IK_INLINE friend Mask operator<(const FloatLanes& a, const FloatLanes& b) {
    return Mask(a.value < b.value);
  }
  GENERATIVE_IK_INLINE friend FloatLanes select(const Mask& condition, const FloatLanes& a,
                                                const FloatLanes& b) {
    return FloatLanes(condition ? a.value : b.value);
  }
};

/// Writes numbers of double precision, rounded to single.
template <class Number>
GENERATIVE_IK_INLINE void storeSingle(float* memory, const Number& lanes) {
  if constexpr (sizeof(Number) == sizeof(double)) {
    *memory = static_cast<float>(lanes);
  } else {
    using Floats = typename FloatRegisterOf<sizeof(Number) / sizeof(double)>::Type;
    const auto floats = __builtin_convertvector(lanes.value, Floats);
    __builtin_memcpy(memory, &floats, sizeof floats);
  }
}

}  // namespace generative_ik::simd

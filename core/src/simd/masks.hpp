/// What lanes and doubles both need besides arithmetic: masks, roots, memory, and the lanes' own
/// numbers.
#pragma once

#include <cmath>
#include <type_traits>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "lanes.hpp"

namespace generative_ik::simd {

template <class Mask>
GENERATIVE_IK_INLINE Mask both(const Mask& a, const Mask& b) {
  if constexpr (std::is_same_v<Mask, bool>) {
    return a && b;
  } else {
    return a & b;
  }
}

template <class Mask>
GENERATIVE_IK_INLINE Mask either(const Mask& a, const Mask& b) {
  if constexpr (std::is_same_v<Mask, bool>) {
    return a || b;
  } else {
    return a | b;
  }
}

template <class Mask>
GENERATIVE_IK_INLINE Mask negated(const Mask& a) {
  if constexpr (std::is_same_v<Mask, bool>) {
    return !a;
  } else {
    return ~a;
  }
}

/// A mask that is the same in all lanes.
template <class Number>
GENERATIVE_IK_INLINE MaskOf<Number> everywhere(bool value) {
  return Number(0.0) < Number(value ? 1.0 : 0.0);
}

/// The number in one lane.
template <class Number>
GENERATIVE_IK_INLINE double lane(const Number& lanes, int index) {
  if constexpr (kWidth<Number> == 1) {
    return lanes;
  } else {
    return lanes.value[index];
  }
}

/// The lanes whose number in lane k is `number_of(k)`.
template <class Number, class Function>
GENERATIVE_IK_INLINE Number lanesOf(const Function& number_of) {
  if constexpr (kWidth<Number> == 1) {
    return number_of(0);
  } else {
    typename Number::Register value{};
    for (int k = 0; k < kWidth<Number>; ++k) {
      value[k] = number_of(k);
    }
    return Number(value);
  }
}

template <class Number>
GENERATIVE_IK_INLINE Number load(const double* memory) {
  if constexpr (std::is_same_v<Number, double>) {
    return *memory;  // nvcc would copy bytes
  } else {
    Number value = 0.0;
    __builtin_memcpy(&value, memory, sizeof value);
    return value;
  }
}

template <class Number>
GENERATIVE_IK_INLINE void store(double* memory, const Number& value) {
  if constexpr (std::is_same_v<Number, double>) {
    *memory = value;
  } else {
    __builtin_memcpy(memory, &value, sizeof value);
  }
}

/// A whole number whose bit k says whether a mask is set in lane k.
template <class Mask>
GENERATIVE_IK_INLINE unsigned bitsOf(const Mask& mask) {
  if constexpr (std::is_same_v<Mask, bool>) {
    return mask ? 1U : 0U;
  } else {
    constexpr int kLanesOfMask = sizeof(Mask) / sizeof(double);
#ifdef __AVX512DQ__
    if constexpr (kLanesOfMask == 8) {
      return _mm512_movepi64_mask(__m512i(mask));
    }
#endif
#ifdef __AVX__
    if constexpr (kLanesOfMask == 4) {
      return static_cast<unsigned>(_mm256_movemask_pd(__m256d(mask)));
    }
#endif
#ifdef __SSE2__
    if constexpr (kLanesOfMask == 2) {
      return static_cast<unsigned>(_mm_movemask_pd(__m128d(mask)));
    }
#endif
    unsigned bits = 0;
    for (int k = 0; k < kLanesOfMask; ++k) {
      bits |= (mask[k] != 0 ? 1U : 0U) << static_cast<unsigned>(k);
    }
    return bits;
  }
}

/// The place of the lowest bit that is set; one is.
GENERATIVE_IK_INLINE int lowestOf(unsigned bits) {
#ifdef __CUDA_ARCH__
  return __ffs(static_cast<int>(bits)) - 1;
#else
  return __builtin_ctz(bits);
#endif
}

/// The bits of a < b, without a mask between.
template <class Number>
GENERATIVE_IK_INLINE unsigned bitsWhereLess(const Number& a, const Number& b) {
#ifdef __AVX512F__
  if constexpr (kWidth<Number> == 8) {
    return _mm512_cmp_pd_mask(__m512d(a.value), __m512d(b.value), _CMP_LT_OQ);
  }
#endif
  return bitsOf(a < b);
}

template <class Mask>
GENERATIVE_IK_INLINE bool anywhere(const Mask& mask) {
  return bitsOf(mask) != 0;
}

template <class Number>
GENERATIVE_IK_INLINE Number absolute(const Number& a) {
  if constexpr (kWidth<Number> == 1) {
    return std::fabs(a);
  } else {
    using Mask = typename Number::Mask;
    constexpr long long kAllButSign = 0x7FFFFFFFFFFFFFFF;
    return Number(typename Number::Register(Mask(a.value) & kAllButSign));
  }
}

template <class Number>
GENERATIVE_IK_INLINE Number squareRoot(const Number& a) {
  if constexpr (kWidth<Number> == 1) {
    return std::sqrt(a);
  } else {
    using Register = typename Number::Register;
#ifdef __AVX512F__
    if constexpr (kWidth<Number> == 8) {
      // GCC warns of its own _mm512_sqrt_pd.
      return Number(Register(_mm512_maskz_sqrt_pd(0xFF, __m512d(a.value))));
    }
#endif
#ifdef __AVX__
    if constexpr (kWidth<Number> == 4) {
      return Number(Register(_mm256_sqrt_pd(__m256d(a.value))));
    }
#endif
#ifdef __SSE2__
    if constexpr (kWidth<Number> == 2) {
      return Number(Register(_mm_sqrt_pd(__m128d(a.value))));
    }
#endif
    return lanesOf<Number>([&a](int k) { return std::sqrt(a.value[k]); });
  }
}

template <class Number>
GENERATIVE_IK_INLINE Number smaller(const Number& a, const Number& b) {
  return select(b < a, b, a);
}

template <class Number>
GENERATIVE_IK_INLINE Number larger(const Number& a, const Number& b) {
  return select(a < b, b, a);
}

/// The largest number in any lane.
template <class Number>
GENERATIVE_IK_INLINE double largestOf(const Number& lanes) {
  double numbers[kWidth<Number>];  // NOLINT(*-avoid-c-arrays,*-member-init)
  store(numbers, lanes);
  for (int half = kWidth<Number> / 2; half > 0; half /= 2) {
    for (int k = 0; k < half; ++k) {
      numbers[k] = larger(numbers[k], numbers[k + half]);
    }
  }
  return numbers[0];
}

/// The lanes in which there are half as many numbers, each for two of the lanes of a `Number`:
/// half a register of eight, else as wide a register, whose halves are used one after the other.
template <class Number>
struct HalfOf {
  using Type = Number;
};
template <>
struct HalfOf<Lanes<8>> {
  using Type = Lanes<4>;
};

/// See `doubled`; `lanes` are as wide as what is returned.
template <class Register>
GENERATIVE_IK_INLINE Register repeatedFrom(int first, const Register& lanes) {
  constexpr int kSize = sizeof(Register) / sizeof(double);
#if defined(__GNUC__) && !defined(__clang__)
  typename RegisterOf<kSize>::Mask from{};
  for (int k = 0; k < kSize; ++k) {
    from[k] = first + k / 2;
  }
  return __builtin_shuffle(lanes, from);
#else
  Register result{};
  for (int k = 0; k < kSize; ++k) {
    result[k] = lanes[first + k / 2];
  }
  return result;
#endif
}

/// Each number twice, in lanes 2 k and 2 k + 1, of the half of the lanes that `half`, 0 or 1, says
/// if all do not fit. A double is left as it is.
template <class Number>
GENERATIVE_IK_INLINE Number doubled(const typename HalfOf<Number>::Type& lanes, int half) {
  constexpr int kSize = kWidth<Number>;
  if constexpr (kSize == 1) {
    return lanes;
#ifdef __AVX512F__
  } else if constexpr (kSize == 8) {
    return Number(
        repeatedFrom(0, typename Number::Register(_mm512_castpd256_pd512(__m256d(lanes.value)))));
#endif
  } else {
    return Number(repeatedFrom(half * kSize / 2, lanes.value));
  }
}

/// The same of a mask.
template <class Number>
GENERATIVE_IK_INLINE MaskOf<Number> doubledMask(const MaskOf<typename HalfOf<Number>::Type>& mask,
                                                int half) {
  constexpr int kSize = kWidth<Number>;
  if constexpr (kSize == 1) {
    return mask;
#ifdef __AVX512F__
  } else if constexpr (kSize == 8) {
    return repeatedFrom(0, MaskOf<Number>(_mm512_castsi256_si512(__m256i(mask))));
#endif
  } else {
    return repeatedFrom(half * kSize / 2, mask);
  }
}

}  // namespace generative_ik::simd

/// Vectors of any length whose numbers lie one after the other, as templates over the number type.
#pragma once

#include <cstdint>

#include "lanes.hpp"

namespace generative_ik::simd {

template <class Number>
GENERATIVE_IK_INLINE Number innerProduct(const Number* a, const Number* b, std::int64_t size) {
  Number total = 0.0;
  for (std::int64_t v = 0; v < size; ++v) {
    total += a[v] * b[v];
  }
  return total;
}

/// Takes from a vector what it has of a unit vector.
template <class Number>
GENERATIVE_IK_INLINE void removeShare(Number* vector, const Number* unit, std::int64_t size) {
  const Number share = innerProduct(vector, unit, size);
  for (std::int64_t v = 0; v < size; ++v) {
    vector[v] -= share * unit[v];
  }
}

template <class Number>
GENERATIVE_IK_INLINE void multiply(Number* vector, const Number& factor, std::int64_t size) {
  for (std::int64_t v = 0; v < size; ++v) {
    vector[v] *= factor;
  }
}

}  // namespace generative_ik::simd

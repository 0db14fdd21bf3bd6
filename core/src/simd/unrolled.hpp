/// Loops over small arrays that the compiler is to keep in registers.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "lanes.hpp"

namespace generative_ik::simd {

template <class Function, int... kIndices>
GENERATIVE_IK_INLINE void callWithEach([[maybe_unused]] const Function& function,
                                       std::integer_sequence<int, kIndices...> /*indices*/) {
  (function(std::integral_constant<int, kIndices>()), ...);
}

/// Calls a function with 0 to kCount - 1, each a constant of its own type, with which arrays may
/// be indexed and inner loops counted.
template <int kCount, class Function>
GENERATIVE_IK_INLINE void unrolled(const Function& function) {
  callWithEach(function, std::make_integer_sequence<int, kCount>());
}

/// Calls a function with 0 to count - 1.
template <class Function>
GENERATIVE_IK_INLINE void forEach(std::int64_t count, const Function& function) {
  for (std::int64_t i = 0; i < count; ++i) {
    function(i);
  }
}

/// The same unrolled, for a count that the compiler knows.
template <int kCount, class Function>
GENERATIVE_IK_INLINE void forEach(std::integral_constant<int, kCount> /*count*/,
                                  const Function& function) {
  unrolled<kCount>(function);
}

}  // namespace generative_ik::simd

/// The normal equations of damped least squares in six unknowns.
#pragma once

#include <cstdint>

#include "../simd/masks.hpp"
#include "../simd/unrolled.hpp"

namespace generative_ik {

/// Damping at zero error: it keeps the normal equations solvable at a singularity.
template <class Number>
inline constexpr double kLeastDamping = 1e-9;
/// Single precision rounds what the damping is added to by more than that.
template <>
inline constexpr double kLeastDamping<float> = 1e-6;

// NOLINTBEGIN(*-avoid-c-arrays): captures of the arrays count as such, too
/// Solves (J J^T + damping I) y = e for several right sides by a factorisation L D L^T; y replaces
/// e.
///
/// `entry(v, i)` is row i of column v of the `count` columns of J, a number or a constant's type.
template <int kSides, class Number, class Entry, class Count>
GENERATIVE_IK_INLINE void solveDamped(const Entry& entry, Count count, const Number& damping,
                                      Number (&e)[kSides][6]) {
  Number a[6][6];
  simd::unrolled<6>([&](auto i) {
    simd::unrolled<i + 1>([&](auto k) { a[i][k] = i == k ? damping : Number(0.0); });
  });
  simd::forEach(count, [&](auto v) {
    Number j[6];
    simd::unrolled<6>([&](auto i) {
      j[i] = entry(v, i);
      simd::unrolled<i + 1>([&](auto k) { a[i][k] += j[i] * j[k]; });
    });
  });
  Number inverse[6];
  simd::unrolled<6>([&](auto k) {
    inverse[k] = Number(1.0) / a[k][k];
    simd::unrolled<5 - k>([&](auto below) {
      constexpr int kRow = 5 - below;
      const Number factor = a[kRow][k] * inverse[k];
      simd::unrolled<kRow - k>([&](auto m) { a[kRow][k + 1 + m] -= factor * a[k + 1 + m][k]; });
      simd::unrolled<kSides>([&](auto side) { e[side][kRow] -= factor * e[side][k]; });
    });
  });
  simd::unrolled<6>([&](auto from_last) {
    constexpr int kRow = 5 - from_last;
    simd::unrolled<kSides>([&](auto side) {
      simd::unrolled<from_last>(
          [&](auto k) { e[side][kRow] -= a[kRow + 1 + k][kRow] * e[side][kRow + 1 + k]; });
      e[side][kRow] *= inverse[kRow];
    });
  });
}
// NOLINTEND(*-avoid-c-arrays)

}  // namespace generative_ik

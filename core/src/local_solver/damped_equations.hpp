/// The normal equations of damped least squares in six unknowns.
#pragma once

#include <cstdint>

#include "../simd/masks.hpp"

namespace generative_ik {

/// Damping at zero error: it keeps the normal equations solvable at a singularity.
inline constexpr double kLeastDamping = 1e-9;

/// Solves (J J^T + damping I) y = e by a factorisation L D L^T; y replaces e.
///
/// `entry(v, i)` is row i of column v of the `count` columns of J.
template <class Number, class Entry>
GENERATIVE_IK_INLINE void solveDamped(const Entry& entry, std::int64_t count,
                                      const Number& damping, Number* e) {
  Number a[6][6];  // NOLINT(*-avoid-c-arrays)
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k <= i; ++k) {
      a[i][k] = i == k ? damping : Number(0.0);
    }
  }
  for (std::int64_t v = 0; v < count; ++v) {
    Number j[6];  // NOLINT(*-avoid-c-arrays)
    for (int i = 0; i < 6; ++i) {
      j[i] = entry(v, i);
      for (int k = 0; k <= i; ++k) {
        a[i][k] += j[i] * j[k];
      }
    }
  }
  Number inverse[6];  // NOLINT(*-avoid-c-arrays)
  for (int k = 0; k < 6; ++k) {
    inverse[k] = Number(1.0) / a[k][k];
    for (int i = k + 1; i < 6; ++i) {
      const Number factor = a[i][k] * inverse[k];
      for (int m = k + 1; m <= i; ++m) {
        a[i][m] -= factor * a[m][k];
      }
      e[i] -= factor * e[k];
    }
  }
  for (int i = 5; i >= 0; --i) {
    for (int k = i + 1; k < 6; ++k) {
      e[i] -= a[k][i] * e[k];
    }
    e[i] *= inverse[i];
  }
}

}  // namespace generative_ik

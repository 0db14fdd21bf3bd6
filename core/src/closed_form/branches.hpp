/// At most eight branches side by side: two angles three times.
///
/// Branch 4 i + 2 j + k is that of choices i, j and k, so nothing depends on how many there are;
/// what does not exist is marked. What depends on i and j alone is computed for the four pairs
/// 2 i + j. A register holds a block of them.
#pragma once

#include <cstdint>

#include "subproblems.hpp"

namespace generative_ik::closed_form {

inline constexpr int kJoints = 6;
inline constexpr int kPairs = 4;
inline constexpr int kBranches = 8;

/// Values of the six joints.
template <class Number>
using JointValues = Number[kJoints];  // NOLINT(*-avoid-c-arrays)

/// The numbers that pairs are computed in where branches are computed in a `Number`.
template <class Number>
using PairNumber = typename simd::HalfOf<Number>::Type;
template <class Number>
inline constexpr int kPairBlocks = kPairs / simd::kWidth<PairNumber<Number>>;
/// Blocks of branches for each block of pairs.
template <class Number>
inline constexpr int kHalves = kBranches / simd::kWidth<Number> / kPairBlocks<Number>;

/// 1 in the lanes of the first of two angles, -1 in those of the second: choice i of pairs.
template <class Number>
GENERATIVE_IK_INLINE Number firstChoice(int block) {
  return simd::lanesOf<Number>(
      [block](int k) { return block * simd::kWidth<Number> + k < kPairs / 2 ? 1.0 : -1.0; });
}

/// The same of choice j of pairs, and of choice k of branches.
template <class Number>
GENERATIVE_IK_INLINE Number secondChoice(int block) {
  return simd::lanesOf<Number>(
      [block](int k) { return (block * simd::kWidth<Number> + k) % 2 == 0 ? 1.0 : -1.0; });
}

/// Branches before they are written.
// NOLINTNEXTLINE(*-member-init): what is not put there is not read
struct BranchTable {
  double joints[kJoints][kBranches];  // NOLINT(*-avoid-c-arrays): [rad or m]
  unsigned exists = 0;                // bit k says whether there is branch k

  template <class Number>
  GENERATIVE_IK_INLINE void put(int block, const MaskOf<Number>& there,
                                const JointValues<Number>& values) {
    const int first = block * simd::kWidth<Number>;
    exists |= simd::bitsOf(there) << static_cast<unsigned>(first);
    for (int j = 0; j < kJoints; ++j) {
      simd::store(joints[j] + first, values[j]);
    }
  }

  /// Writes the branches that exist, of a mirrored arm from the tip on; returns how many. What it
  /// writes behind them is of no meaning: a branch that may or may not be there costs more than a
  /// row.
  GENERATIVE_IK_INLINE std::int64_t write(double* out, bool mirrored) const {
    const std::int64_t first = mirrored ? kJoints - 1 : 0;
    const std::int64_t step = mirrored ? -1 : 1;
    std::int64_t count = 0;
    for (int k = 0; k < kBranches; ++k) {
      double* row = out + kJoints * count + first;
      for (int j = 0; j < kJoints; ++j) {
        row[step * j] = joints[j][k];
      }
      count += exists >> static_cast<unsigned>(k) & 1U;
    }
    return count;
  }
};

}  // namespace generative_ik::closed_form

/// At most eight branches side by side: two angles three times.
///
/// Branch 4 i + 2 j + k is that of choices i, j and k, so nothing depends on how many there are;
/// what does not exist is marked. What depends on i and j alone is computed for the four pairs
/// 2 i + j. A register holds a block of them: with eight lanes the pairs lie in the first four.
#pragma once

#include <cstdint>

#include "subproblems.hpp"

namespace generative_ik::closed_form {

inline constexpr int kJoints = 6;
inline constexpr int kPairs = 4;
inline constexpr int kBranches = 8;

template <class Number>
inline constexpr int kPairBlocks = simd::kWidth<Number> < kPairs ? kPairs / simd::kWidth<Number> : 1;
template <class Number>
inline constexpr int kBranchBlocks = kBranches / simd::kWidth<Number>;

/// The first pair of a block, and that of which pair a lane is.
template <class Number>
GENERATIVE_IK_INLINE int pairIn(int block, int lane) {
  return (block * simd::kWidth<Number> + lane) % kPairs;
}

/// 1 in the lanes of the first of two angles, -1 in those of the second: choice i of pairs.
template <class Number>
GENERATIVE_IK_INLINE Number firstChoice(int block) {
  return simd::lanesOf<Number>(
      [block](int k) { return pairIn<Number>(block, k) < 2 ? 1.0 : -1.0; });
}

/// The same of choice j, of pairs.
template <class Number>
GENERATIVE_IK_INLINE Number secondChoice(int block) {
  return simd::lanesOf<Number>(
      [block](int k) { return pairIn<Number>(block, k) % 2 == 0 ? 1.0 : -1.0; });
}

/// The same of choice k, of branches.
template <class Number>
GENERATIVE_IK_INLINE Number thirdChoice(int block) {
  return simd::lanesOf<Number>([block](int k) {
    return (block * simd::kWidth<Number> + k) % 2 == 0 ? 1.0 : -1.0;
  });
}

/// Branches before they are written.
struct BranchTable {
  double joints[kJoints][kBranches];  // NOLINT(*-avoid-c-arrays): [rad or m]
  unsigned exists = 0;                // bit k says whether there is branch k

  template <class Number>
  GENERATIVE_IK_INLINE void put(int block, const MaskOf<Number>& there,
                                const Number (&values)[kJoints]) {  // NOLINT(*-avoid-c-arrays)
    const int first = block * simd::kWidth<Number>;
    exists |= simd::bitsOf(there) << static_cast<unsigned>(first);
    for (int j = 0; j < kJoints; ++j) {
      simd::store(joints[j] + first, values[j]);
    }
  }

  /// Writes the branches that exist, of a mirrored arm from the tip on; returns how many.
  GENERATIVE_IK_INLINE std::int64_t write(double* out, bool mirrored) const {
    std::int64_t count = 0;
    for (int k = 0; k < kBranches; ++k) {
      if ((exists >> static_cast<unsigned>(k) & 1U) == 0) {
        continue;
      }
      for (int j = 0; j < kJoints; ++j) {
        out[kJoints * count + (mirrored ? kJoints - 1 - j : j)] = joints[j][k];
      }
      ++count;
    }
    return count;
  }
};

}  // namespace generative_ik::closed_form

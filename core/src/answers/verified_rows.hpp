/// Solutions of closed forms that are verified before they are returned, and made exact first
/// where a description rounds its angles.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "../select/full_turns.hpp"
#include "../simd/constants.hpp"
#include "chain_numbers.hpp"

namespace generative_ik::answers {

/// Numbers of a pose: a matrix, row by row.
inline constexpr std::int64_t kOfPose = 16;

/// Configurations one below the other, and their errors.
struct SolutionRows {
  double* positions;  ///< (count, size) [rad or m]; behind the joints other numbers may follow.
  std::int64_t size;  ///< Numbers of a row.
  PoseGap* gaps;      ///< (count)
};

/// Where the tip is to be.
struct RowTargets {
  const double* pose = nullptr;  ///< (4, 4) of all rows [m].
  double* own = nullptr;  ///< (count, 4, 4) instead, if each has its own; they move with the rows.

  [[nodiscard]] const double* first() const { return own != nullptr ? own : pose; }
};

/// Where joints may be, and when two configurations are the same.
struct RowBounds {
  const double* soft_lower;  ///< (joints) bounds of the local solver; may be infinite [rad or m].
  const double* soft_upper;  ///< Likewise.
  const bool* circular;      ///< (joints) whether there is room for a full turn.
  double distance;           ///< Solutions with no joint further apart are the same [rad or m].
  double exact;              ///< Error above which a row is made exact [m and rad].
};

/// Where a joint of a row is, and which row it is.
using RowPlace = std::pair<double, std::int64_t>;

/// Memory that is used again.
struct RowMemory {
  std::vector<LaneRow> lanes;
  std::vector<std::int64_t> order;
  std::vector<RowPlace> places;
  std::vector<char> met;
};

/// What is left of some rows.
struct Verified {
  std::int64_t count;
  double largest_error;  ///< [m and rad]
};

/// Branches with a larger error are none [m and rad]; rounded descriptions are off by less.
inline constexpr double kFalse = 2e-2;

/// Whether two configurations are the same solution by their first `size` numbers: no joint is
/// further apart than the distance, on the circle where there is room for a full turn.
inline bool isSame(const double* one, const double* other, std::int64_t size, const bool* circular,
                   double distance) {
  for (std::int64_t v = 0; v < size; ++v) {
    double apart = std::abs(one[v] - other[v]);
    if (circular[v] && apart >= distance) {
      apart = std::abs(apart - kTurn * simd::nearestInteger(apart / kTurn));
    }
    if (apart >= distance) {
      return false;
    }
  }
  return true;
}

/// Marks rows that are the same solution as one before them, in `RowMemory::met`. `sorted_by` is
/// the joint whose values tell most of them apart.
void markDuplicates(const RowBounds& bounds, std::int64_t joints, std::int64_t count,
                    std::int64_t sorted_by, const SolutionRows& rows, RowMemory& memory);

/// Moves the first of rows that are the same solution to the front; returns how many there are.
std::int64_t dropDuplicates(const RowBounds& bounds, std::int64_t joints, std::int64_t count,
                            std::int64_t sorted_by, const SolutionRows& rows, RowMemory& memory);

/// Measures the first rows, and moves what is within the tolerances to the front; if `rough`, what
/// may become so when it is made exact, too.
Verified keepVerified(const ChainNumbers& chain, const RowTargets& targets, std::int64_t count,
                      bool rough, const SolutionRows& rows, RowMemory& memory);

/// Takes steps of the local solver towards the targets until rows are exact, within the bounds.
///
/// A closed form takes lines for parallel or intersecting that nearly are, as descriptions round
/// their angles, so its branches are off by as much, some 1e-5 rad at the most.
void makeExact(const ChainNumbers& chain, const RowBounds& bounds, const RowTargets& targets,
               std::int64_t count, const SolutionRows& rows, RowMemory& memory);

/// Moves what is a solution, or becomes one when it is made exact, to the front; returns how many
/// are distinct.
std::int64_t keepExact(const ChainNumbers& chain, const RowBounds& bounds,
                       const RowTargets& targets, std::int64_t count, std::int64_t sorted_by,
                       const SolutionRows& rows, RowMemory& memory);

}  // namespace generative_ik::answers

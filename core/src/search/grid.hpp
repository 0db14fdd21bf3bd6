/// A grid of cells in joint space, by which a known solution is found again.
#pragma once

#include <cstdint>

namespace generative_ik::search {

/// When two configurations are the same solution, and the cells that they lie in.
struct Grid {
  double distance;             ///< Solutions with no joint further apart are the same [rad or m].
  const double* per_unit;      ///< (6) cells along each joint of the grid, per rad or m.
  const std::int64_t* joints;  ///< (6) that span the grid; of small pools the first three.
  const std::int64_t* cells;   ///< (6) number of cells around a circular joint; 0 for others.
  const std::int64_t* circular;  ///< (n) joints on which a full turn makes no difference.

  /// Joints that span the grid of a small pool: enough to tell solutions apart, and few cells to
  /// look in.
  static constexpr int kFew = 3;
  /// The same of a large pool, where three would leave hundreds of solutions in a cell.
  static constexpr int kJoints = 6;

  /// The grid whose numbers these are: distance, per_unit; joints, cells, circular.
  static Grid of(const double* floats, const std::int64_t* ints) {
    return {floats[0], floats + 1, ints, ints + kJoints, ints + kJoints + kJoints};
  }

  /// Whether it is that of configurations of so many joints, with few cells near each.
  [[nodiscard]] bool fits(std::int64_t num_joints) const;
};

/// Cells along three joints.
struct Cells {
  std::int64_t a, b, c;
};

/// The first and the last of some cells.
struct CellRange {
  std::int64_t first, last;
};

/// The cells along joint `first` of the grid and the two after it that q lies in.
Cells cellsOf(const Grid& grid, const double* q, int first);

/// The cells along joint k of the grid with configurations that may equal q.
CellRange cellsNear(const Grid& grid, const double* q, int k);

/// Hashes a cell of the first three joints, given the part of the hash of the other three.
std::int64_t hashCell(const Grid& grid, const Cells& cells, std::int64_t further);

/// Hashes a cell of the grid's other three joints, for `hashCell`.
std::int64_t hashFurther(const Grid& grid, const Cells& cells);

}  // namespace generative_ik::search

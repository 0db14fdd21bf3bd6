#include "grid.hpp"

#include <cmath>

#include "../select/full_turns.hpp"
#include "../simd/constants.hpp"

namespace generative_ik::search {
namespace {

// Where a configuration is along joint k of the grid, in cells.
double coordinate(const Grid& grid, const double* q, int k) {
  double x = q[grid.joints[k]];
  if (grid.cells[k] != 0) {
    x -= kTurn * std::floor(x * (1.0 / kTurn));
  }
  return x * grid.per_unit[k];
}

// The cell of a coordinate; those far beyond any limits, and NaN, are in one of the last.
std::int64_t cellAt(double coordinate) {
  constexpr double kMost = 4611686018427387904.0;  // 2^62
  if (!(coordinate < kMost)) {
    return static_cast<std::int64_t>(kMost);
  }
  return static_cast<std::int64_t>(coordinate > -kMost ? std::floor(coordinate) : -kMost);
}

// Brings a cell beyond the end of a turn back; it is never more than one turn beyond.
std::int64_t wrapped(const Grid& grid, std::int64_t index, int k) {
  const std::int64_t cells = grid.cells[k];
  if (cells == 0 || (index >= 0 && index < cells)) {
    return index;
  }
  return index < 0 ? index + cells : index - cells;
}

// A product that may overflow.
std::uint64_t times(std::int64_t cell, std::uint64_t factor) {
  return static_cast<std::uint64_t>(cell) * factor;
}

}  // namespace

bool Grid::fits(std::int64_t num_joints) const {
  for (int k = 0; k < kJoints; ++k) {
    // A circle of one cell may be shorter than the distance.
    const bool few = std::abs(distance * per_unit[k]) <= 1.0 || cells[k] == 1;
    if (joints[k] < 0 || joints[k] >= num_joints || cells[k] < 0 || !few) {
      return false;
    }
  }
  return true;
}

Cells cellsOf(const Grid& grid, const double* q, int first) {
  const auto cell = [&](int k) { return wrapped(grid, cellAt(coordinate(grid, q, k)), k); };
  return {cell(first), cell(first + 1), cell(first + 2)};
}

CellRange cellsNear(const Grid& grid, const double* q, int k) {
  const double x = coordinate(grid, q, k);
  const double near = grid.distance * grid.per_unit[k];
  if (grid.cells[k] == 1) {
    return {0, 0};
  }
  const CellRange range = {cellAt(x - near), cellAt(x + near)};
  if (grid.cells[k] != 0 && range.last - range.first >= grid.cells[k]) {
    return {0, grid.cells[k] - 1};
  }
  return range;
}

std::int64_t hashCell(const Grid& grid, const Cells& cells, std::int64_t further) {
  const auto mixed = static_cast<std::int64_t>(times(wrapped(grid, cells.a, 0), 73856093) ^
                                               times(wrapped(grid, cells.b, 1), 19349663) ^
                                               times(wrapped(grid, cells.c, 2), 83492791)) ^
                     further;
  return mixed ^ (mixed >> 15);
}

std::int64_t hashFurther(const Grid& grid, const Cells& cells) {
  constexpr int kFirst = Grid::kFew;
  const auto mixed =
      static_cast<std::int64_t>(times(wrapped(grid, cells.a, kFirst), 2654435761) ^
                                times(wrapped(grid, cells.b, kFirst + 1), 40503073) ^
                                times(wrapped(grid, cells.c, kFirst + 2), 2246822519));
  return mixed ^ (mixed >> 13);
}

}  // namespace generative_ik::search

/// The part of joint space that a search looks at, and when two solutions in it are the same.
#pragma once

#include <cstdint>
#include <generative_ik/search_box.hpp>
#include <span>
#include <vector>

#include "../search/grid.hpp"
#include "../search/problem.hpp"

namespace generative_ik {

/// What is searched of one variable.
struct SearchedRange {
  double lower;  ///< Finite bounds of solutions [rad or m].
  double upper;
  double reference;  ///< The seed state, or the middle.
  double unit;       ///< The change that counts as 1 rad [rad or m].
  double weight;   ///< What a rad or m counts in distances from the seed state; 0: there is none.
  bool circular;   ///< Whether it is searched on the whole circle.
  bool unlimited;  ///< Whether such a one may cross the edge of the box.
};

/// Bounds, steps and cells of one query, as the search takes them.
class SearchSpace {
 public:
  SearchSpace(std::span<const SearchedRange> ranges, double distinct_distance);
  /// Args: units: of the variables, that count as 1 rad. limits: of solutions. around: whether
  /// distances from their seed count. distinct_distance: solutions with no joint further apart are
  /// the same [rad or m].
  SearchSpace(const std::vector<Variable>& variables, const Vector& units, const SearchBox& limits,
              bool around, double distinct_distance);

  /// Tells solutions apart that are further apart than this [rad or m].
  void distinguish(double distance);

  /// Those of the box.
  [[nodiscard]] const std::vector<double>& rows() const { return rows_; }
  [[nodiscard]] search::Box box() const { return search::Box::of(rows_.data(), size_); }
  [[nodiscard]] search::Grid grid() const {
    return search::Grid::of(grid_floats_.data(), grid_ints_.data());
  }
  /// Those of the grid.
  [[nodiscard]] const std::vector<double>& gridFloats() const { return grid_floats_; }
  [[nodiscard]] const std::vector<std::int64_t>& gridInts() const { return grid_ints_; }
  [[nodiscard]] double distinctDistance() const { return grid_floats_.front(); }

 private:
  std::int64_t size_;
  std::vector<double> rows_;  // of a Box
  std::vector<std::int64_t> circular_;
  std::vector<double> grid_floats_;  // of a Grid
  std::vector<std::int64_t> grid_ints_;
};

}  // namespace generative_ik

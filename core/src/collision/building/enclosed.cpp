#include "enclosed.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace generative_ik::collision::building {
namespace {

// Half the width in cells of the largest holes that are taken for closed.
constexpr std::int64_t kStopped = 2;

/// Cells of a grid with a margin of some around it, each marked or not.
class Cells {
 public:
  explicit Cells(const std::array<std::int64_t, 3>& counts)
      : counts_(counts), marked_(static_cast<std::size_t>(counts[0] * counts[1] * counts[2]), 0) {}

  char& at(std::int64_t i, std::int64_t j, std::int64_t k) { return marked_[index(i, j, k)]; }
  [[nodiscard]] char at(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return marked_[index(i, j, k)];
  }

  /// Marks the six neighbours of what is marked, but for those that are `barred`.
  void grow(const Cells* barred) {
    const std::vector<char> before = marked_;
    forNeighbours([&](std::size_t here, std::size_t beside) {
      if (before[here] != 0 && (barred == nullptr || barred->marked_[beside] == 0)) {
        marked_[beside] = 1;
      }
    });
  }

  /// The cells that are not marked and cannot be reached from the first one through such cells.
  [[nodiscard]] Cells shutOff() const {
    Cells found(counts_);
    std::vector<std::size_t> open = {0};
    std::vector<char> reached(marked_.size(), 0);
    reached[0] = 1;
    while (!open.empty()) {
      const std::size_t here = open.back();
      open.pop_back();
      forNeighboursOf(here, [&](std::size_t beside) {
        if (reached[beside] == 0 && marked_[beside] == 0) {
          reached[beside] = 1;
          open.push_back(beside);
        }
      });
    }
    for (std::size_t k = 0; k < marked_.size(); ++k) {
      found.marked_[k] = marked_[k] == 0 && reached[k] == 0 ? 1 : 0;
    }
    return found;
  }

 private:
  [[nodiscard]] std::size_t index(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return static_cast<std::size_t>((i * counts_[1] + j) * counts_[2] + k);
  }

  template <class Function>
  void forNeighboursOf(std::size_t here, const Function& function) const {
    const std::array<std::size_t, 3> strides = {static_cast<std::size_t>(counts_[1] * counts_[2]),
                                                static_cast<std::size_t>(counts_[2]), 1};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::size_t stride = strides.at(axis);
      const auto count = static_cast<std::size_t>(counts_.at(axis));
      const std::size_t place = here / stride % count;
      if (place > 0) {
        function(here - stride);
      }
      if (place + 1 < count) {
        function(here + stride);
      }
    }
  }

  template <class Function>
  void forNeighbours(const Function& function) const {
    for (std::size_t here = 0; here < marked_.size(); ++here) {
      forNeighboursOf(here, [&](std::size_t beside) { function(here, beside); });
    }
  }

  std::array<std::int64_t, 3> counts_;
  std::vector<char> marked_;
};

// The cells that the surface passes through, in a grid with a margin all around.
Cells wallOf(const std::vector<Triangle>& triangles, const Depths& grid) {
  const auto& counts = grid.counts;
  Cells wall({counts[0] + 2 * kStopped, counts[1] + 2 * kStopped, counts[2] + 2 * kStopped});
  const auto cell = [&](double place, double from, std::int64_t count) {
    const double rounded = std::round((place - from) / grid.size);
    return kStopped +
           static_cast<std::int64_t>(std::clamp(rounded, 0.0, static_cast<double>(count - 1)));
  };
  for (const Triangle& triangle : subdivided(triangles, grid.size / 2.0)) {
    for (const Point& p : triangle) {
      wall.at(cell(p.x, grid.origin.x, counts[0]), cell(p.y, grid.origin.y, counts[1]),
              cell(p.z, grid.origin.z, counts[2])) = 1;
    }
  }
  return wall;
}

}  // namespace

std::vector<bool> enclosedCells(const std::vector<Triangle>& triangles, const Depths& grid) {
  const Cells wall = wallOf(triangles, grid);
  Cells thick = wall;
  std::vector<bool> most(grid.depth.size(), false);
  std::int64_t count_of_most = 0;
  for (std::int64_t thicker = 0; thicker <= kStopped; ++thicker) {
    if (thicker > 0) {
      thick.grow(nullptr);
    }
    Cells inside = thick.shutOff();
    for (std::int64_t step = 0; step < thicker; ++step) {
      inside.grow(&wall);
    }
    std::vector<bool> found(grid.depth.size(), false);
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < grid.counts[0]; ++i) {
      for (std::int64_t j = 0; j < grid.counts[1]; ++j) {
        for (std::int64_t k = 0; k < grid.counts[2]; ++k) {
          const bool is = inside.at(i + kStopped, j + kStopped, k + kStopped) != 0;
          found[grid.index(i, j, k)] = is;
          count += is ? 1 : 0;
        }
      }
    }
    if (count > count_of_most) {
      count_of_most = count;
      most = std::move(found);
    }
  }
  return most;
}

}  // namespace generative_ik::collision::building

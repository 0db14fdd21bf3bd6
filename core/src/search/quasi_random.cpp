#include "quasi_random.hpp"

#include <algorithm>
#include <cstddef>

#include "../local_solver/options.hpp"
#include "recurrence.hpp"

namespace generative_ik::search {

std::vector<double> seedsAnywhere(const Box& box, const Recurrence& points, std::int64_t before,
                                  std::int64_t count) {
  std::vector<double> rows(static_cast<std::size_t>(count * box.size));
  auto row = rows.begin();
  for (std::int64_t k = 0; k < count; ++k, row += box.size) {
    for (std::int64_t v = 0; v < box.size; ++v) {
      const double unit = recurrencePoint(before + k + 1, points.ratios[v], points.shift[v]);
      row[v] = std::min(box.lower[v] + unit * (box.upper[v] - box.lower[v]), box.upper[v]);
    }
  }
  return rows;
}

std::vector<double> seedsAround(const Box& box, const Recurrence& points, std::int64_t count) {
  std::vector<double> rows = seedsAnywhere(box, points, 0, count);
  auto row = rows.begin();
  for (std::int64_t k = 0; k < count; ++k, row += box.size) {
    const double growth = squared(static_cast<double>(k) / static_cast<double>(count));
    for (std::int64_t v = 0; v < box.size; ++v) {
      row[v] = box.reference[v] + growth * (row[v] - box.reference[v]);
    }
  }
  return rows;
}

}  // namespace generative_ik::search

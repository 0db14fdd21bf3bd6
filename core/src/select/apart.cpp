#include "apart.hpp"

#include <algorithm>
#include <cmath>

#include "../simd/constants.hpp"
#include "full_turns.hpp"

namespace generative_ik {
namespace {

bool areApart(const OrderedRows& rows, std::int64_t one, std::int64_t other, double distance) {
  for (std::int64_t v = 0; v < rows.size; ++v) {
    double gap =
        std::abs(rows.positions[one * rows.size + v] - rows.positions[other * rows.size + v]);
    if (rows.around[v]) {
      gap = std::abs(gap - kTurn * std::nearbyint(gap / kTurn));
    }
    if (gap >= distance) {
      return true;
    }
  }
  return false;
}

bool isApart(const OrderedRows& rows, std::int64_t s, const std::int64_t* from, std::int64_t count,
             double distance) {
  return std::all_of(from, from + count,
                     [&](std::int64_t other) { return areApart(rows, s, other, distance); });
}

}  // namespace

std::vector<std::int64_t> bestApart(const OrderedRows& rows, double distance, std::int64_t most) {
  std::vector<std::int64_t> taken;
  for (std::int64_t i = 0; i < rows.count && static_cast<std::int64_t>(taken.size()) < most; ++i) {
    const auto count = static_cast<std::int64_t>(taken.size());
    if (isApart(rows, rows.order[i], taken.data(), count, distance)) {
      taken.push_back(rows.order[i]);
    }
  }
  return taken;
}

std::vector<std::int64_t> highest(const OrderedRows& rows, double distance, std::int64_t most) {
  std::vector<std::int64_t> taken;
  for (std::int64_t i = 0; i < rows.count && static_cast<std::int64_t>(taken.size()) < most; ++i) {
    if (isApart(rows, rows.order[i], rows.order, i, distance)) {
      taken.push_back(rows.order[i]);
    }
  }
  return taken;
}

}  // namespace generative_ik

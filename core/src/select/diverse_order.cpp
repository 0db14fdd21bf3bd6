#include "diverse_order.hpp"

#include <algorithm>

#include "../parallel/for_each.hpp"

namespace generative_ik {
namespace {

// Of more solutions than can be compared so many times with one another only an even choice is
// ranked.
constexpr std::int64_t kRanked = 256;

std::int64_t dividedUp(std::int64_t number, std::int64_t by) {
  return (number + by - 1) / by;
}

}  // namespace

std::int64_t diverseOrder(const DiverseRows& rows, std::int64_t count, std::int64_t work,
                          std::vector<float>& memory, std::int64_t* order) {
  static const FarthestFirstKernel farthest_first =
      simd::usable([](auto set) { return farthestFirst(set); }).front();
  if (rows.count == 0) {
    return 0;
  }
  const auto dimensions = rows.size + std::count(rows.turning, rows.turning + rows.size, true);
  const std::int64_t most =
      std::max<std::int64_t>(1, work / std::max<std::int64_t>(1, dimensions * kRanked));
  const std::int64_t stride = dividedUp(rows.count, std::min(rows.count, most));
  const std::int64_t size = dividedUp(rows.count, stride);
  const std::int64_t block = size > 2 * kOrderBlock ? kOrderBlockOfMany : kOrderBlock;
  const std::int64_t padded = dividedUp(size, block) * block;
  memory.assign(static_cast<std::size_t>((dimensions + 2) * padded), 0.0F);
  const OrderRows coordinates = {memory.data(), dimensions, padded, size, stride};
  const std::int64_t ranked =
      std::min({count, size,
                std::max<std::int64_t>(1, work / std::max<std::int64_t>(1, dimensions * size))});
  farthest_first(rows, coordinates, ranked, order);
  if (ranked == count) {
    for (std::int64_t k = 0; k < ranked; ++k) {
      order[k] *= stride;
    }
    return ranked;
  }
  std::vector<char> taken(static_cast<std::size_t>(rows.count), 0);
  for (std::int64_t k = 0; k < ranked; ++k) {
    order[k] *= stride;
    taken[static_cast<std::size_t>(order[k])] = 1;
  }
  std::int64_t k = ranked;
  for (std::int64_t s = 0; s < rows.count && k < count; ++s) {
    if (taken[static_cast<std::size_t>(s)] == 0) {
      order[k] = s;
      ++k;
    }
  }
  return ranked;
}

void diverseOrders(const DiverseRows& rows, const std::int64_t* ends, std::int64_t targets,
                   std::int64_t count, std::int64_t work, std::int64_t* orders,
                   const parallel::StopWhen& stop) {
  const auto order_some = [&](std::int64_t first, std::int64_t last) {
    std::vector<float> memory;
    for (std::int64_t t = first; t < last; ++t) {
      const std::int64_t begin = t > 0 ? ends[t - 1] : 0;
      DiverseRows own = rows;
      own.positions += begin * rows.size;
      own.count = ends[t] - begin;
      const std::int64_t some = std::min(count, own.count);
      diverseOrder(own, some, work, memory, orders + count * t);
      std::fill(orders + count * t + some, orders + count * (t + 1), -1);
    }
  };
  parallel::forRanges(targets, 1, order_some, stop);
}

}  // namespace generative_ik

#include "pool_memory.hpp"

#include <algorithm>
#include <cstddef>

namespace generative_ik {
void PoolMemory::reserve(std::int64_t capacity, std::int64_t steps, const search::Grid& grid) {
  if (static_cast<std::size_t>(steps) > queue_.size()) {
    queue_.resize(static_cast<std::size_t>(steps));
  }
  const auto room = static_cast<std::size_t>(capacity);
  if (room <= notes_.size()) {
    return;
  }
  positions_.resize(room * static_cast<std::size_t>(size_));
  notes_.resize(room);
  visits_.resize(room);
  before_.resize(room);
  heads_.resize(static_cast<std::size_t>(search::countBuckets(capacity, capacity)));
  sortInto(grid);
}

void PoolMemory::sortInto(const search::Grid& grid) {
  std::fill(heads_.begin(), heads_.end(), -1);
  search::sortIntoBuckets(view(grid), 0);
}

search::Pool PoolMemory::view(const search::Grid& grid) {
  search::Pool pool{};
  pool.grid = grid;
  pool.size = size_;
  pool.capacity = capacity();
  pool.buckets = static_cast<std::int64_t>(heads_.size());
  pool.positions = positions_.data();
  pool.errors = notes_.data();
  pool.visits = visits_.data();
  pool.counts = &count_;
  pool.heads = heads_.data();
  pool.before = before_.data();
  return pool;
}

}  // namespace generative_ik

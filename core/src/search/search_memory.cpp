#include "search_memory.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <new>
#include <vector>

#include "../parallel/for_each.hpp"
#include "../simd/constants.hpp"

namespace generative_ik::search {
namespace {

using Block = std::unique_ptr<std::byte[], BlockReturn>;  // NOLINT(*-avoid-c-arrays)

// Of smaller blocks all are new, and more than so much is not kept [bytes].
constexpr std::size_t kLeastSpare = std::size_t{1} << 16;
constexpr std::size_t kMostSpare = std::size_t{1} << 26;

/// Blocks of searches that are over.
struct SpareBlocks {
  struct Spare {
    std::byte* block;
    std::size_t size;
  };
  std::mutex mutex;
  std::vector<Spare> blocks;
  std::size_t size = 0;
};

// Never destroyed: threads may outlive it.
SpareBlocks& spareBlocks() {
  static auto* const kSpare = new SpareBlocks;
  return *kSpare;
}

// A block of so many bytes or somewhat more.
Block takeBlock(std::size_t size) {
  if (size >= kLeastSpare) {
    SpareBlocks& spare = spareBlocks();
    const std::lock_guard lock(spare.mutex);
    auto best = spare.blocks.end();
    for (auto it = spare.blocks.begin(); it != spare.blocks.end(); ++it) {
      const bool fits = size <= it->size && it->size <= 2 * size;
      if (fits && (best == spare.blocks.end() || it->size < best->size)) {
        best = it;
      }
    }
    if (best != spare.blocks.end()) {
      Block block(best->block, BlockReturn{best->size});
      spare.size -= best->size;
      spare.blocks.erase(best);
      return block;
    }
  }
  return {new std::byte[size], BlockReturn{size}};
}

/// Lays arrays out behind one another; without a block, it only counts.
class Layout {
 public:
  explicit Layout(std::byte* block) : block_(block) {}
  /// An array of (T, each) of what has no stricter alignment than what is laid out before it.
  template <class Number>
  Number* next(std::int64_t targets, std::int64_t each) {
    // NOLINTNEXTLINE(*-reinterpret-cast): memory for them
    auto* array = block_ == nullptr ? nullptr : reinterpret_cast<Number*>(block_ + size_);
    const double bytes = static_cast<double>(targets) * static_cast<double>(each) * sizeof(Number);
    if (!(targets >= 0 && each >= 0 && static_cast<double>(size_) + bytes < kMost)) {
      throw std::bad_alloc();
    }
    size_ += static_cast<std::size_t>(targets * each) * sizeof(Number);
    return array;
  }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static constexpr double kMost = 1e15;
  std::byte* block_;
  std::size_t size_ = 0;
};

struct Arrays {
  Pool pool;
  Step* steps;
  Target* targets;
  double* closest;
};

Arrays layOut(const Room& room, Layout& layout) {
  Arrays arrays{};
  Pool& pool = arrays.pool;
  pool.size = room.size;
  pool.capacity = room.capacity;
  pool.buckets = countBuckets(room.capacity, room.looked_for);
  arrays.targets = layout.next<Target>(room.targets, 1);
  pool.errors = layout.next<SolutionNotes>(room.targets, room.capacity);
  pool.positions = layout.next<double>(room.targets * room.capacity, room.size);
  arrays.closest = layout.next<double>(room.targets, room.size);
  pool.visits = layout.next<std::int64_t>(room.targets, room.capacity);
  pool.counts = layout.next<std::int64_t>(room.targets, 1);
  arrays.steps = layout.next<Step>(room.targets, room.steps);
  pool.heads = layout.next<std::int32_t>(room.targets, pool.buckets);
  pool.before = layout.next<std::int32_t>(room.targets, room.capacity);
  return arrays;
}

}  // namespace

void BlockReturn::operator()(std::byte* block) const {
  if (size >= kLeastSpare) {
    SpareBlocks& spare = spareBlocks();
    const std::lock_guard lock(spare.mutex);
    if (spare.size + size <= kMostSpare) {
      spare.blocks.push_back({block, size});
      spare.size += size;
      return;
    }
  }
  delete[] block;
}

SearchMemory::SearchMemory(const Room& room) : room_(room) {
  Layout counted(nullptr);
  layOut(room, counted);
  block_ = takeBlock(counted.size());
  Layout layout(block_.get());
  const Arrays arrays = layOut(room, layout);
  pool_ = arrays.pool;
  steps_ = arrays.steps;
  targets_ = arrays.targets;
  closest_ = arrays.closest;
}

SearchMemory::SearchMemory(const Room& room, std::int64_t restarts, const double* closest,
                           const parallel::StopWhen& stop)
    : SearchMemory(room) {
  constexpr std::int64_t kPiece = 4096;
  constexpr std::int64_t kBuckets = 1 << 18;
  const auto begin = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t t = first; t < last; ++t) {
      targets_[t] = {};
      targets_[t].restarts_left = restarts;
      targets_[t].closest_error = kInfinity;
      pool_.counts[t] = 0;
      std::copy_n(closest, room_.size, closest_ + t * room_.size);
    }
  };
  parallel::forRanges(room_.targets, kPiece, begin, stop);
  const auto clear = [&](std::int64_t first, std::int64_t last) {
    std::fill(pool_.heads + first, pool_.heads + last, -1);
  };
  parallel::forRanges(room_.targets * pool_.buckets, kBuckets, clear, stop);
}

void SearchMemory::grow(Room room, const Grid& grid) {
  room.steps = std::max(room.steps, room_.steps);
  SearchMemory larger(room);
  const std::int64_t count = pool_.counts[0];
  const Pool& to = larger.pool_;
  std::copy_n(pool_.positions, count * room_.size, to.positions);
  std::copy_n(pool_.errors, count, to.errors);
  std::copy_n(pool_.visits, count, to.visits);
  std::copy_n(steps_, targets_->queue_end, larger.steps_);
  std::copy_n(closest_, room_.size, larger.closest_);
  *to.counts = count;
  *larger.targets_ = *targets_;
  *this = std::move(larger);
  sortInto(grid);
}

void SearchMemory::sortInto(const Grid& grid) {
  std::fill_n(pool_.heads, pool_.buckets, -1);
  sortIntoBuckets(pool(grid), 0);
}

Pool SearchMemory::pool(const Grid& grid) const {
  Pool pool = pool_;
  pool.grid = grid;
  return pool;
}

SearchArrays SearchMemory::arrays(const Box& box, const Grid& grid, Run& run) const {
  SearchArrays arrays{};
  arrays.box = box;
  arrays.pool = pool(grid);
  arrays.queue = {steps_, room_.steps};
  arrays.targets = targets_;
  arrays.closest = closest_;
  arrays.run = &run;
  return arrays;
}

}  // namespace generative_ik::search

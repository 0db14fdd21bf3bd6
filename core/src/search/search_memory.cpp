#include "search_memory.hpp"

#include <algorithm>
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
// More is not asked for: numbers from another language may be any.
constexpr double kMostBytes = 1e15;

/// Blocks of searches that are over.
struct SpareBlocks {
  struct Spare {
    std::byte* block;
    std::size_t size;
  };
  // Then blocks are given back without asking for memory.
  SpareBlocks() { blocks.reserve(kMostSpare / kLeastSpare); }

  std::mutex mutex;
  std::vector<Spare> blocks;
  std::size_t size = 0;
};

// Never destroyed: threads may outlive it.
SpareBlocks& spareBlocks() {
  static auto* const kSpare = new SpareBlocks;
  return *kSpare;
}

// For a block of so many bytes, if it is large and nobody else has the lock: a process that was
// forked while another thread had it would wait for ever.
std::unique_lock<std::mutex> triedLock(SpareBlocks& spare, std::size_t size) {
  return size < kLeastSpare ? std::unique_lock<std::mutex>()
                            : std::unique_lock(spare.mutex, std::try_to_lock);
}

// A block of so many bytes or somewhat more.
Block takeBlock(std::size_t size) {
  SpareBlocks& spare = spareBlocks();
  if (const auto lock = triedLock(spare, size)) {
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

}  // namespace

void BlockReturn::operator()(std::byte* block) const {
  SpareBlocks& spare = spareBlocks();
  if (const auto lock = triedLock(spare, size); lock && spare.size + size <= kMostSpare) {
    spare.blocks.push_back({block, size});
    spare.size += size;
    return;
  }
  delete[] block;
}

SearchMemory::SearchMemory(const Room& room) : room_(room) {
  pool_.size = room.size;
  pool_.capacity = room.capacity;
  pool_.buckets = countBuckets(room.capacity, room.looked_for);
  std::size_t size = 0;
  // An array of (T, each) behind those before; without a block, its size is only counted.
  const auto lay = [&]<class Number>(Number*& array, std::int64_t targets, std::int64_t each) {
    const double bytes = sizeof(Number) * static_cast<double>(targets) * static_cast<double>(each);
    if (targets < 0 || each < 0 || static_cast<double>(size) + bytes > kMostBytes) {
      throw std::bad_alloc();
    }
    if (block_ != nullptr) {
      // NOLINTNEXTLINE(*-reinterpret-cast): memory for them
      array = reinterpret_cast<Number*>(block_.get() + size);
    }
    size += sizeof(Number) * static_cast<std::size_t>(targets * each);
  };
  // None has a stricter alignment than those before.
  const auto lay_all = [&] {
    size = 0;
    lay(targets_, room.targets, 1);
    lay(pool_.errors, room.targets, room.capacity);
    lay(pool_.positions, room.targets * room.capacity, room.size);
    lay(closest_, room.targets, room.size);
    lay(pool_.visits, room.targets, room.capacity);
    lay(pool_.counts, room.targets, 1);
    lay(steps_, room.targets, room.steps);
    lay(pool_.heads, room.targets, pool_.buckets);
    lay(pool_.before, room.targets, room.capacity);
  };
  lay_all();
  block_ = takeBlock(size);
  lay_all();
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

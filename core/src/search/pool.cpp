#include "pool.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "../select/full_turns.hpp"
#include "../simd/constants.hpp"

namespace generative_ik::search {
namespace {

// Pools with more buckets are large: six joints choose a cell of theirs.
constexpr std::int64_t kLarge = 4096;
// Those for so many solutions and more are.
constexpr std::int64_t kManyLookedFor = 100;
constexpr std::int64_t kMostBuckets = 1 << 20;
// Share of the distance of duplicates below which two are one solution, found again. Within the
// tolerances it may be anywhere along a short way, whose near end would lag behind a seed state.
constexpr double kIdentical = 0.1;

std::int32_t& headOf(const Pool& pool, std::int64_t t, std::int64_t hash) {
  return pool.heads[t * pool.buckets + (hash & (pool.buckets - 1))];
}

std::int32_t& headOf(const Pool& pool, std::int64_t t, const double* q) {
  std::int64_t further = 0;
  if (pool.buckets > kLarge) {
    further = hashFurther(pool.grid, cellsOf(pool.grid, q, Grid::kFew));
  }
  return headOf(pool, t, hashCell(pool.grid, cellsOf(pool.grid, q, 0), further));
}

std::int32_t& beforeOf(const Pool& pool, std::int64_t t, std::int64_t place) {
  return pool.before[t * pool.capacity + place];
}

bool isWithin(const Pool& pool, std::int64_t t, std::int64_t known, const double* q,
              double distance) {
  const double* other = pool.position(t, known);
  for (std::int64_t v = 0; v < pool.size; ++v) {
    const double gap = std::abs(other[v] - q[v]);
    if (gap >= distance &&
        (!pool.circular(v) || std::abs(gap - kTurn * std::rint(gap / kTurn)) >= distance)) {
      return false;
    }
  }
  return true;
}

// Calls `visit` with each cell near q of the grid's joint `first` and the two after it, until it
// says that it has found what it looks for.
template <class Visit>
bool anyCellNear(const Grid& grid, const double* q, int first, const Visit& visit) {
  const CellRange a = cellsNear(grid, q, first);
  const CellRange b = cellsNear(grid, q, first + 1);
  const CellRange c = cellsNear(grid, q, first + 2);
  for (std::int64_t i = a.first; i <= a.last; ++i) {
    for (std::int64_t j = b.first; j <= b.last; ++j) {
      for (std::int64_t k = c.first; k <= c.last; ++k) {
        if (visit(Cells{i, j, k})) {
          return true;
        }
      }
    }
  }
  return false;
}

// Calls `prevails` with each solution that is the same as q, until one does.
template <class Prevails>
Known look(const Pool& pool, std::int64_t t, const double* q, const Prevails& prevails) {
  Known found = {-1, -1};
  const auto look_further = [&](std::int64_t further) {
    return anyCellNear(pool.grid, q, 0, [&](const Cells& cells) {
      std::int64_t known = headOf(pool, t, hashCell(pool.grid, cells, further));
      for (; known >= 0; known = beforeOf(pool, t, known)) {
        if (isSame(pool, t, known, q)) {
          if (prevails(known)) {
            found.index = known;
            return true;
          }
          found.other = known;
        }
      }
      return false;
    });
  };
  if (pool.buckets <= kLarge) {
    look_further(0);
  } else {
    anyCellNear(pool.grid, q, Grid::kFew,
                [&](const Cells& cells) { return look_further(hashFurther(pool.grid, cells)); });
  }
  return found;
}

// Puts a place of target t that is in no bucket into its own.
void sortIntoBucket(const Pool& pool, std::int64_t t, std::int64_t place) {
  std::int32_t& head = headOf(pool, t, pool.position(t, place));
  beforeOf(pool, t, place) = head;
  head = static_cast<std::int32_t>(place);
}

// Takes a place of target t out of the bucket that begins with a head; says whether it was there.
bool unlink(const Pool& pool, std::int64_t t, std::int32_t& head, std::int64_t place) {
  std::int32_t* at = &head;
  while (*at >= 0 && *at != place) {
    at = &beforeOf(pool, t, *at);
  }
  if (*at < 0) {
    return false;
  }
  *at = beforeOf(pool, t, place);
  return true;
}

// Writes q to a place of target t that is in no bucket.
void put(const Pool& pool, std::int64_t t, std::int64_t place, const double* q) {
  std::copy_n(q, pool.size, pool.position(t, place));
  sortIntoBucket(pool, t, place);
}

}  // namespace

std::int64_t countBuckets(std::int64_t capacity, std::int64_t looked_for) {
  const std::int64_t least = looked_for < kManyLookedFor ? capacity : std::max(capacity, kLarge);
  const auto some = static_cast<std::uint64_t>(std::clamp<std::int64_t>(least, 1, kMostBuckets));
  return static_cast<std::int64_t>(std::bit_ceil(some));
}

double squaredDistance(const double* q, const Reference& reference, std::int64_t size) {
  double total = 0.0;
  for (std::int64_t v = 0; v < size; ++v) {
    const double gap = (q[v] - reference.position[v]) * reference.weights[v];
    total += gap * gap;
  }
  return total;
}

std::int64_t findKnown(const Pool& pool, std::int64_t t, const double* q) {
  return look(pool, t, q, [](std::int64_t) { return true; }).index;
}

Known findPrevailing(const Pool& pool, std::int64_t t, const double* q,
                     const Reference& reference) {
  return look(pool, t, q, [&](std::int64_t known) {
    const bool free = pool.notes(t, known).checked() == Verdict::kFree;
    if (free && squaredDistance(pool.position(t, known), reference, pool.size) <=
                    squaredDistance(q, reference, pool.size)) {
      return true;
    }
    return isWithin(pool, t, known, q, kIdentical * pool.grid.distance);
  });
}

std::int64_t insert(const Pool& pool, std::int64_t t, const double* q) {
  const std::int64_t place = pool.counts[t];
  put(pool, t, place, q);
  pool.visitsOf(t, place) = 1;
  pool.counts[t] = place + 1;
  return place;
}

void move(const Pool& pool, std::int64_t t, std::int64_t place, const double* q) {
  if (!unlink(pool, t, headOf(pool, t, pool.position(t, place)), place)) {
    // Who put it there came, by rounding, to the cell beside it.
    std::int32_t* heads = pool.heads + t * pool.buckets;
    std::any_of(heads, heads + pool.buckets,
                [&](std::int32_t& head) { return unlink(pool, t, head, place); });
  }
  put(pool, t, place, q);
}

void sortIntoBuckets(const Pool& pool, std::int64_t t) {
  for (std::int64_t place = 0; place < pool.counts[t]; ++place) {
    sortIntoBucket(pool, t, place);
  }
}

bool isInBuckets(const Pool& pool, std::int64_t t) {
  const std::int64_t count = pool.counts[t];
  std::int64_t found = 0;
  const std::int32_t* heads = pool.heads + t * pool.buckets;
  for (std::int64_t bucket = 0; bucket < pool.buckets; ++bucket) {
    for (std::int64_t k = heads[bucket]; k >= 0; k = beforeOf(pool, t, k)) {
      if (k >= count || ++found > count) {
        return false;
      }
    }
  }
  return found == count;
}

bool isSame(const Pool& pool, std::int64_t t, std::int64_t known, const double* q) {
  return isWithin(pool, t, known, q, pool.grid.distance);
}

}  // namespace generative_ik::search

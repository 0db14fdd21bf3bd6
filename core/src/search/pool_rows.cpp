#include "pool_rows.hpp"

#include <algorithm>
#include <limits>

#include "../parallel/for_each.hpp"

namespace generative_ik::search {

void add(const Pool& pool, const double* rows, const std::int64_t* target_of_row,
         std::int64_t count) {
  for (std::int64_t s = 0; s < count; ++s) {
    const double* q = rows + pool.size * s;
    const std::int64_t t = target_of_row[s];
    const std::int64_t known = findKnown(pool, t, q);
    if (known >= 0) {
      pool.visitsOf(t, known) += 1;
    } else if (pool.counts[t] < pool.capacity) {
      insert(pool, t, q);
    }
  }
}

std::int64_t firstFree(const Pool& pool, std::int64_t t) {
  const SolutionNotes* first = pool.errors + t * pool.capacity;
  const SolutionNotes* end = first + std::clamp<std::int64_t>(pool.counts[t], 0, pool.capacity);
  const SolutionNotes* free = std::find_if(
      first, end, [](const SolutionNotes& one) { return one.checked() == Verdict::kFree; });
  return free == end ? -1 : free - first;
}

void takeFirstFree(const Pool& pool, std::int64_t targets, const TakenSolutions& taken,
                   const parallel::StopWhen& stop) {
  constexpr std::int64_t kPiece = 4096;
  constexpr SolutionNotes kNone = {std::numeric_limits<double>::quiet_NaN(),
                                   std::numeric_limits<double>::quiet_NaN(), 0.0, 0.0};
  const auto take = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t t = first; t < last; ++t) {
      const std::int64_t k = firstFree(pool, t);
      double* positions = taken.positions + t * pool.size;
      if (k >= 0) {
        std::copy_n(pool.position(t, k), pool.size, positions);
      } else {
        std::fill_n(positions, pool.size, kNone.distance);
      }
      const SolutionNotes& notes = k >= 0 ? pool.notes(t, k) : kNone;
      taken.errors[2 * t] = notes.distance;
      taken.errors[2 * t + 1] = notes.angle;
      taken.counts[t] = k >= 0 ? 1 : 0;
    }
  };
  parallel::forRanges(targets, kPiece, take, stop);
}

}  // namespace generative_ik::search

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

void clearBuckets(std::int32_t* heads, std::int64_t count, const parallel::StopWhen& stop) {
  constexpr std::int64_t kPiece = 1 << 18;
  const auto clear = [heads](std::int64_t first, std::int64_t last) {
    std::fill(heads + first, heads + last, -1);
  };
  parallel::forRanges(count, kPiece, clear, stop);
}

void takeFirstFree(const FoundSolutions& found, const TakenSolutions& taken,
                   const parallel::StopWhen& stop) {
  constexpr std::int64_t kPiece = 4096;
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const auto is_free = [](const SolutionNotes& one) { return one.checked() == Verdict::kFree; };
  const auto take = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t t = first; t < last; ++t) {
      const SolutionNotes* notes = found.notes + t * found.capacity;
      const SolutionNotes* end =
          notes + std::clamp<std::int64_t>(found.counts[t], 0, found.capacity);
      const SolutionNotes* one = std::find_if(notes, end, is_free);
      double* positions = taken.positions + t * found.size;
      const bool any = one != end;
      if (any) {
        const std::int64_t at = t * found.capacity + (one - notes);
        std::copy_n(found.positions + at * found.size, found.size, positions);
      } else {
        std::fill_n(positions, found.size, kNone);
      }
      taken.errors[2 * t] = any ? one->distance : kNone;
      taken.errors[2 * t + 1] = any ? one->angle : kNone;
      taken.counts[t] = any ? 1 : 0;
    }
  };
  parallel::forRanges(found.num_targets, kPiece, take, stop);
}

}  // namespace generative_ik::search

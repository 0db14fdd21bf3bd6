#include "pool_rows.hpp"

#include <algorithm>

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

void takeFirstFree(const FoundSolutions& found, double* positions, double* errors,
                   std::int64_t* counts) {
  for (std::int64_t t = 0; t < found.num_targets; ++t) {
    const SolutionNotes* notes = found.notes + t * found.capacity;
    const SolutionNotes* end =
        notes + std::clamp<std::int64_t>(found.counts[t], 0, found.capacity);
    const SolutionNotes* free = std::find_if(notes, end, [](const SolutionNotes& one) {
      return one.verdict == static_cast<double>(Verdict::kFree);
    });
    if (free != end) {
      const std::int64_t at = t * found.capacity + (free - notes);
      std::copy_n(found.positions + at * found.size, found.size, positions + t * found.size);
      errors[2 * t] = free->distance;
      errors[2 * t + 1] = free->angle;
      counts[t] = 1;
    }
  }
}

}  // namespace generative_ik::search

#include "work.hpp"

#include <mutex>

#include "../parallel/for_each.hpp"

namespace generative_ik::search {

Work workOf(const Target* targets, const std::int64_t* solutions, std::int64_t count) {
  constexpr std::int64_t kPiece = 4096;
  Work work;
  std::mutex mutex;
  const auto add = [&](std::int64_t first, std::int64_t last) {
    Work some;
    for (std::int64_t t = first; t < last; ++t) {
      some += {targets[t].restarts,           targets[t].null_space_seeds,
               targets[t].restarts_converged, targets[t].null_space_converged,
               targets[t].iterations,         solutions[t]};
    }
    const std::lock_guard lock(mutex);
    work += some;
  };
  parallel::forRanges(count, kPiece, add, {});
  return work;
}

}  // namespace generative_ik::search

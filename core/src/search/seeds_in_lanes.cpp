#include "seeds_in_lanes.hpp"

namespace generative_ik::search {
namespace {

bool isOpen(const Target& target) {
  return !target.closed && !target.needs_seeds;
}

}  // namespace

std::int64_t nextTarget(const SearchArrays& search, int lane) {
  Run& run = *search.run;
  const auto is_open = [&](std::int64_t t) { return t >= 0 && isOpen(search.targets[t]); };
  Lane& own = search.lanes[lane];
  if (is_open(own.bound)) {
    return own.bound;
  }
  while (run.next_target < run.last) {
    const std::int64_t t = run.next_target++;
    if (is_open(t)) {
      own.bound = t;
      return t;
    }
  }
  for (int k = 1; k < kLanes; ++k) {
    const std::int64_t t = search.lanes[(lane + k) % kLanes].bound;
    if (is_open(t)) {
      return t;
    }
  }
  return -1;
}

std::int64_t poseFor(const SearchArrays& search, const Lane& lane, std::int64_t t, SeedKind kind) {
  const std::int64_t alternatives = search.run->alternatives;
  if (alternatives == 0) {
    return t;
  }
  const Target& target = search.targets[t];
  if (kind == SeedKind::kRestart) {
    return (target.restarts - 1) % alternatives;
  }
  const std::int64_t base = kind == SeedKind::kNullSpace ? startOf(lane.base) : target.nearest;
  return static_cast<std::int64_t>(search.pool.notes(t, base).pose);
}

}  // namespace generative_ik::search

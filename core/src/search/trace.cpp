#include "trace.hpp"

#include "null_space.hpp"

namespace generative_ik::search {
namespace {

// A solution is away from what is known if a joint is so many distinct distances off.
constexpr double kAway = 3.5;
// The curves are all found when of so many restarts no more than that ended away.
constexpr std::int64_t kWindow = 40;
constexpr std::int64_t kFew = 2;
// A solution found so often is not stepped from again if its direction is still unknown.
constexpr std::int64_t kProbes = 4;

}  // namespace

bool leadsAway(const SearchArrays& search, bool traced, std::int64_t t, SeedKind kind) {
  if (!traced) {
    return true;
  }
  Pool wide = search.pool;
  wide.grid.distance *= kAway;
  const std::int64_t near = findKnown(wide, t, search.q);
  if (near >= 0) {
    // Random steps start from what is found least often: where solutions lie thin.
    ++search.pool.visitsOf(t, near);
  }
  Target& target = search.targets[t];
  if (kind == SeedKind::kRestart) {
    ++target.window;
    target.window_away += near < 0 ? 1 : 0;
    if (target.window == kWindow) {
      target.traced_all = target.window_away <= kFew;
      target.window = target.window_away = 0;
    }
  }
  return near < 0;
}

void queueTrace(const SearchArrays& search, bool traced, std::int64_t t,
                const SeedOutcome& outcome) {
  const bool is_new = outcome.place >= 0;
  const bool stepped = outcome.kind == SeedKind::kNullSpace;
  const bool aside = stepped && outcome.base < 0;
  if (is_new && stepped && (outcome.away || aside)) {
    queueSteps(search, t, outcome.place, outcome.base);
  }
  Target& target = search.targets[t];
  if (!traced || target.queue_end == search.queue.size) {
    return;
  }
  std::int64_t probe = -1;
  if (is_new && outcome.away && !stepped) {
    probe = outcome.place;
  } else if (!is_new && aside && search.pool.visitsOf(t, startOf(outcome.base)) < kProbes) {
    probe = startOf(outcome.base);
  }
  if (probe >= 0) {
    search.queue.at(t, target.queue_end++) = {static_cast<std::int32_t>(probe), -1};
  }
}

}  // namespace generative_ik::search

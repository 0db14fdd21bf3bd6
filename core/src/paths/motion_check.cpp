#include "motion_check.hpp"

#include <cmath>

#include "../parallel/for_each.hpp"

namespace generative_ik::paths {

Verdict MotionCheck::verdict(const double* before, const double* after) {
  if (task_.world == nullptr) {
    return Verdict::kFree;
  }
  return task_.world->checkMotion(before, after, resolution_.data(), CollisionWorld::kSure,
                                  memory_);
}

std::vector<Verdict> MotionCheck::verdicts(const Rows& before, const Rows& after) const {
  std::vector<Verdict> found(at(before.size()), Verdict::kFree);
  if (task_.world == nullptr) {
    return found;
  }
  // Motions that a thread checks at a time.
  constexpr std::int64_t kAtOnce = 16;
  parallel::forEach((before.size() + kAtOnce - 1) / kAtOnce,
                    [&](std::int64_t piece) {
                      CollisionMemory memory;
                      const std::int64_t last = std::min(before.size(), (piece + 1) * kAtOnce);
                      for (std::int64_t m = piece * kAtOnce; m < last; ++m) {
                        found[at(m)] =
                            task_.world->checkMotion(before[m], after[m], resolution_.data(),
                                                     CollisionWorld::kSure, memory);
                      }
                    },
                    {parallel::Clock::time_point::max(), task_.stop->interrupted});
  return found;
}

bool MotionCheck::collides(const double* before, const double* after) {
  if (task_.world == nullptr) {
    return false;
  }
  double longest = 0.0;
  for (std::int64_t v = 0; v < task_.size; ++v) {
    longest = std::max(longest, std::abs(after[v] - before[v]) / resolution_[at(v)]);
  }
  const auto count = std::max<std::int64_t>(static_cast<std::int64_t>(std::ceil(longest)), 1);
  Rows unclear(task_.size);
  for (std::int64_t k = 1; k <= count; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(count);
    for (std::int64_t v = 0; v < task_.size; ++v) {
      point_[at(v)] = k == count ? after[v] : before[v] + share * (after[v] - before[v]);
    }
    const Verdict verdict = task_.world->check(point_.data(), CollisionWorld::kSure, memory_);
    if (verdict >= Verdict::kInside) {
      return true;
    }
    if (verdict == Verdict::kUndecided) {
      unclear.append(point_.data());
    }
  }
  for (std::int64_t k = 0; k < unclear.size(); ++k) {
    if (hits(unclear[k])) {
      return true;
    }
  }
  return false;
}

bool MotionCheck::isFree(const double* before, const double* after) {
  const Verdict found = verdict(before, after);
  return found == Verdict::kFree || (found == Verdict::kUndecided && !collides(before, after));
}

Rows MotionCheck::freePart(const Rows& path, parallel::Clock::time_point deadline,
                           bool free_poses) {
  if (task_.world == nullptr || path.empty()) {
    return path;
  }
  if (!free_poses && verdict(path[0], path[0]) != Verdict::kFree) {
    return path.part(0, 0);
  }
  // Motions that are checked between two readings of the clock.
  constexpr int kAtOnce = 16;
  int checked = 0;
  for (std::int64_t t = 0; t + 1 < path.size(); ++t) {
    bool far = !free_poses;
    for (std::int64_t v = 0; v < task_.size; ++v) {
      far = far || std::abs(path[t + 1][v] - path[t][v]) > resolution_[at(v)];
    }
    // Between neighbours that are this close to each other there is nothing to check.
    if (far && ((checked++ % kAtOnce == 0 && parallel::Clock::now() >= deadline) ||
                verdict(path[t], path[t + 1]) != Verdict::kFree)) {
      return path.part(0, t + 1);
    }
  }
  return path;
}

bool MotionCheck::hits(const double* q) {
  const auto [place, is_new] = known_.try_emplace(std::vector<double>(q, q + task_.size), false);
  if (is_new) {
    place->second = task_.calls->collides(q);
  }
  return place->second;
}

}  // namespace generative_ik::paths

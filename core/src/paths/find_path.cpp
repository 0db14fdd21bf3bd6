#include "find_path.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "../local_solver/goals/goal_tree.hpp"

namespace generative_ik::paths {
namespace {

// Blocks of so many numbers in the opposite order.
std::vector<double> reversed(const double* numbers, std::int64_t blocks, std::int64_t size) {
  std::vector<double> found;
  found.reserve(at(blocks * size));
  for (std::int64_t k = blocks - 1; k >= 0; --k) {
    found.insert(found.end(), numbers + size * k, numbers + size * (k + 1));
  }
  return found;
}

Rows reversed(const Rows& path) {
  return {path.width(), reversed(path[0], path.size(), path.width()).data(), path.size()};
}

/// A task whose poses are followed from the last one back to the first.
class BackwardTask {
 public:
  explicit BackwardTask(const PathTask& task) : task_(task) {
    const std::int64_t poses = task.num_poses;
    targets_ = reversed(task.targets, poses, task.targetsFrom(1) - task.targets);
    task_.targets = targets_.data();
    if (task.goals != nullptr && task.goals->checks.count > 1) {
      reverseRegions(*task.goals);
    }
    calls_ = {[&task](std::int64_t pose, std::int64_t count, std::int64_t seed, bool exactly) {
                return task.calls->solutions(task.num_poses - 1 - pose, count, seed, exactly);
              },
              task.calls->collides,
              [&task](const Rows& path, double value) {
                return task.calls->offer(reversed(path), value);
              }};
    task_.calls = &calls_;
  }
  BackwardTask(const BackwardTask&) = delete;
  BackwardTask& operator=(const BackwardTask&) = delete;
  BackwardTask(BackwardTask&&) = delete;
  BackwardTask& operator=(BackwardTask&&) = delete;
  ~BackwardTask() = default;

  [[nodiscard]] const PathTask& task() const { return task_; }

 private:
  void reverseRegions(const search::GoalNumbers& goals) {
    const std::int64_t poses = task_.num_poses;
    const std::int64_t tips = goals.tree.num_goals;
    goals_ = goals;
    regions_ = reversed(goals.regions, poses, tips * RegionRow::kSize);
    checks_ = reversed(goals.checks.numbers, poses, tips * verify::Region::kSize);
    goals_.regions = regions_.data();
    goals_.checks.numbers = checks_.data();
    goals_.checks.count = poses;
    task_.goals = &goals_;
  }

  PathTask task_;
  std::vector<double> targets_;
  std::vector<double> regions_;
  std::vector<double> checks_;
  search::GoalNumbers goals_;
  PathCalls calls_;
};

// What begins anywhere and ends in one configuration may be found from there.
void searchBackward(const PathTask& task, std::optional<Objective> objective, const Ends& ends,
                    bool reports, Found& found) {
  const BackwardTask backward(task);
  const Ends begin = {std::nullopt, ends.last, std::nullopt};
  Found other = PathSearch(backward.task(), objective, begin, nullptr, reports).run();
  found.timed_out = other.timed_out;
  found.refused = found.refused || other.refused;
  if (other.best.size() == task.num_poses) {
    found.best = reversed(other.best);
    found.end = std::move(other.end);
  }
}

Found search(const PathTask& task, std::optional<Objective> objective, const Ends& ends,
             bool closed, bool reports) {
  const PathTask exact = task.exactly();
  // A region makes an arm more redundant, so that waves spread over more dimensions and leave more
  // out. Where there is a path through the poses, it is one through their regions, too, and
  // smoothing makes it better than that.
  Narrower narrower;
  if (task.goals != nullptr && task.around) {
    narrower = [&] {
      Rows path = search(exact, std::nullopt, ends, closed, false).best;
      std::vector<std::int64_t> poses(at(path.size()));
      std::iota(poses.begin(), poses.end(), 0);
      const std::vector<char> inside = solved(task, path, poses);
      path.cut(std::find(inside.begin(), inside.end(), 0) - inside.begin());
      return path;
    };
  }
  if (closed) {
    return searchClosed(task, objective, ends.before, narrower, reports);
  }
  Found found = PathSearch(task, objective, ends, narrower, reports).run();
  if (found.best.size() < task.num_poses && ends.last && !ends.before && !found.timed_out) {
    searchBackward(task, objective, ends, reports, found);
  }
  return found;
}

// The configuration of a task's one pose that a step leads to.
std::optional<Rows> nextFrom(const PathTask& task, const double* from) {
  Layers layers(task);
  layers.addTracks({task.size, from, 1}, 0, true);
  if (!layers.isUsable(0, 0)) {
    return std::nullopt;
  }
  return Rows(task.size, layers.node(0, 0), 1);
}

Found findInside(const PathTask& task, std::optional<Objective> objective, const Ends& ends,
                 bool closed) {
  Found found = search(task, objective, ends, closed, true);
  if (found.best.size() < task.num_poses && found.refused && !found.timed_out) {
    // The way past what only closer checks see has to be searched for with these.
    Found closely = search(task.closely(), objective, ends, closed, true);
    const bool timed_out = closely.timed_out;
    if (closely.best.size() > found.best.size()) {
      found = std::move(closely);
    }
    found.timed_out = timed_out;
  }
  return found;
}

// Configurations of the first poses that are reached outside the limits, see `findPath`; of so
// many at most.
Rows wayBackInside(const PathTask& task, const double* start, std::int64_t most) {
  Rows outside(task.size);
  const PathTask close = task.closely();
  MotionCheck motions(close);
  std::vector<double> lower(at(task.size));
  std::vector<double> upper(at(task.size));
  for (std::int64_t pose = 0; pose < most; ++pose) {
    const double* from = pose == 0 ? start : outside[pose - 1];
    PathTask ahead = task;
    ahead.targets = task.targetsFrom(pose);
    ahead.num_poses = 1;
    if (nextFrom(ahead, from)) {
      break;
    }
    for (std::int64_t v = 0; v < task.size; ++v) {
      lower[at(v)] = std::min(task.lower[v], from[v]);
      upper[at(v)] = std::max(task.upper[v], from[v]);
    }
    ahead.lower = lower.data();
    ahead.upper = upper.data();
    const std::optional<Rows> next = nextFrom(ahead, from);
    if (!next || motions.collides(from, (*next)[0])) {
      break;
    }
    outside.append(*next);
  }
  return outside;
}

Rows joined(Rows first, const Rows& others) {
  first.append(others);
  return first;
}

}  // namespace

Found findPath(const PathTask& task, std::optional<Objective> objective, const Ends& ends,
               bool closed) {
  Rows outside(task.size);
  // It ends where it begins, or at an end state, inside; regions have room for that anyway.
  if (ends.outside && !closed && task.goals == nullptr) {
    outside = wayBackInside(task, (*ends.outside)[0], task.num_poses - (ends.last ? 1 : 0));
  }
  const std::int64_t count = outside.size();
  if (count == 0) {
    return findInside(task, objective, ends, closed);
  }
  if (count == task.num_poses) {
    task.calls->offer(outside, 0.0);
    return {std::move(outside), {}};
  }
  const PathCalls calls = {
      [&](std::int64_t pose, std::int64_t wanted, std::int64_t random_seed, bool exactly) {
        return task.calls->solutions(count + pose, wanted, random_seed, exactly);
      },
      task.calls->collides,
      [&](const Rows& path, double value) {
        return task.calls->offer(joined(outside, path), value);
      }};
  PathTask rest = task;
  rest.targets = task.targetsFrom(count);
  rest.num_poses -= count;
  rest.calls = &calls;
  Found found =
      findInside(rest, objective, {outside.part(count - 1, count), {}, ends.last}, closed);
  found.best = joined(std::move(outside), found.best);
  return found;
}

}  // namespace generative_ik::paths

#include "find_path.hpp"

#include <numeric>
#include <utility>

namespace generative_ik::paths {
namespace {

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
  return PathSearch(task, objective, ends, narrower, reports).run();
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

}  // namespace

Found findPath(const PathTask& task, std::optional<Objective> objective, const Ends& ends,
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

}  // namespace generative_ik::paths

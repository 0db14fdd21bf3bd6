#include "layers.hpp"

#include <cmath>

#include "../simd/constants.hpp"

namespace generative_ik::paths {
namespace {

// Numbers that the layers may hold.
constexpr std::int64_t kRoom = std::int64_t{1} << 24;

bool isBlocked(std::uint8_t verdict) {
  return verdict >= static_cast<std::uint8_t>(Verdict::kInside);
}

}  // namespace

Layers::Layers(const PathTask& task, std::int64_t most)
    : task_(task), resolution_(task.resolutions()) {
  const std::int64_t of_positions = kRoom / (task.num_poses * task.size);
  const auto of_edges = static_cast<std::int64_t>(
      std::sqrt(4.0 * static_cast<double>(kRoom) / static_cast<double>(task.num_poses)));
  room_ = std::max<std::int64_t>(std::min({most, of_positions, of_edges}), 1);
}

void Layers::grow(std::int64_t count) {
  const std::int64_t old = size();
  const std::int64_t now = old + count;
  std::vector<std::uint8_t> edges(at(task_.num_poses * now * now), kNotChecked);
  for (std::int64_t row = 0; row < task_.num_poses * old; ++row) {
    const std::int64_t to = (row / std::max<std::int64_t>(old, 1) * now + row % old) * now;
    std::copy_n(edges_.begin() + row * old, old, edges.begin() + to);
  }
  edges_ = std::move(edges);
  for (std::int64_t k = 0; k < count; ++k) {
    // Memory that is not written to costs no time: a deadline may leave most of a long path.
    tracks_.push_back({std::unique_ptr<double[]>(  // NOLINT(*-avoid-c-arrays)
                           new double[at(task_.num_poses * task_.size)]),
                       std::vector<char>(at(task_.num_poses), 0)});
    if (task_.approximates()) {
      tracks_.back().errors.resize(at(task_.num_poses));
    }
  }
}

void Layers::add(std::int64_t track, std::int64_t pose) {
  TrackNodes& nodes = tracks_[at(track)];
  nodes.usable[at(pose)] = 1;
  if (!nodes.errors.empty()) {
    nodes.errors[at(pose)] = task_.errorCost(node(track, pose), pose);
  }
}

void Layers::addTracks(const Rows& starts, std::int64_t pose, bool before) {
  const std::int64_t first = size();
  const Rows some = starts.part(0, std::min(starts.size(), room_ - first));
  grow(some.size());
  for (std::int64_t k = 0; !before && k < some.size(); ++k) {
    std::copy_n(some[k], task_.size, tracks_[at(first + k)].positions.get() + pose * task_.size);
    add(first + k, pose);
  }
  follow(first, some, pose, before, 1);
  follow(first, some, pose, before, -1);
}

void Layers::follow(std::int64_t first, const Rows& starts, std::int64_t pose, bool before,
                    std::int64_t direction) {
  const std::int64_t begin = before ? pose : pose + direction;
  const std::int64_t left = direction > 0 ? task_.num_poses - begin : pose;
  if (left <= 0 || starts.empty()) {
    return;
  }
  Rows current = starts;
  Rows seeds = starts;
  std::vector<std::unique_ptr<Verdict[]>> verdicts;  // NOLINT(*-avoid-c-arrays)
  std::vector<Track> tracks;
  for (std::int64_t k = 0; k < starts.size(); ++k) {
    for (std::int64_t v = 0; v < task_.size; ++v) {
      seeds[k][v] = std::clamp(seeds[k][v], task_.lower[v], task_.upper[v]);
    }
    verdicts.emplace_back(new Verdict[at(task_.num_poses)]);
    double* positions = tracks_[at(first + k)].positions.get() + begin * task_.size;
    tracks.push_back(
        {begin, left, direction, current[k], seeds[k], positions, verdicts.back().get() + begin});
  }
  paths::follow(task_, tracks);
  for (std::int64_t k = 0; k < starts.size(); ++k) {
    const Track& track = tracks[at(k)];
    if (direction > 0 && track.ending > Ending::kComplete) {
      endings_.push_back({track.pose,
                          track.ending,
                          {current[k], current[k] + task_.size},
                          {seeds[k], seeds[k] + task_.size}});
    }
    for (std::int64_t step = 0; step < track.reached; ++step) {
      const std::int64_t there = begin + direction * step;
      add(first + k, there);
      // The motion between a pose and the next is that of the earlier one.
      const std::int64_t motion = direction > 0 ? there - 1 : there;
      if (motion >= 0) {
        edge(motion, first + k, first + k) = static_cast<std::uint8_t>(verdicts[at(k)][at(there)]);
      }
    }
  }
}

void Layers::addPath(const Rows& path, std::int64_t first) {
  if (size() < room_) {
    grow(1);
  } else {
    std::fill(tracks_.back().usable.begin(), tracks_.back().usable.end(), 0);
    tracks_.back().margins.clear();
    for (std::int64_t t = 0; t < task_.num_poses; ++t) {
      for (std::int64_t k = 0; k < size(); ++k) {
        edge(t, size() - 1, k) = edge(t, k, size() - 1) = kNotChecked;
      }
    }
  }
  const std::int64_t last = size() - 1;
  for (std::int64_t k = 0; k < path.size(); ++k) {
    std::copy_n(path[k], task_.size, tracks_.back().positions.get() + (first + k) * task_.size);
    add(last, first + k);
    if (k + 1 < path.size()) {
      edge(first + k, last, last) = static_cast<std::uint8_t>(Verdict::kFree);
    }
  }
}

void Layers::blockNode(std::int64_t pose, std::int64_t node) {
  tracks_[at(node)].usable[at(pose)] = 0;
}

void Layers::blockMotion(std::int64_t pose, std::int64_t before, std::int64_t node) {
  edge(pose - 1, before, node) = static_cast<std::uint8_t>(Verdict::kColliding);
}

double Layers::through(double cost, const double* before, const double* after,
                       const Wanted& wanted) const {
  double total = 0.0;
  double largest = 0.0;
  for (std::int64_t v = 0; v < task_.size; ++v) {
    double motion = std::abs(after[v] - before[v]);
    if (!(motion <= task_.max_step[v])) {
      return kInfinity;
    }
    motion *= task_.weight[v];
    total += motion * motion;
    largest = std::max(largest, motion);
  }
  if (largest > wanted.longest) {
    return kInfinity;
  }
  return wanted.bottleneck ? std::max(cost, largest) : cost + std::sqrt(total);
}

// Finds the shortest way to a node of the pose after `pose`. Motions are checked for collisions
// only where they would be taken: predecessors are tried in the order of the length of the path
// through them until one motion is not known to collide.
bool Layers::reach(std::int64_t pose, std::int64_t node, const Wanted& wanted,
                   const Reached& reached, std::vector<std::int64_t>& parent) {
  const std::int64_t count = size();
  const double* there = this->node(node, pose + 1);
  const double error = wanted.bottleneck ? 0.0 : errorAt(node, pose + 1);
  for (;;) {
    double best = kInfinity;
    std::int64_t found = -1;
    for (std::int64_t i = 0; i < reached.nodes.size(); ++i) {
      const double cost = reached.costs[at(i)];
      if (!(cost < best)) {
        continue;
      }
      const double along = through(cost, reached.nodes[i], there, wanted);
      if (along < best) {
        const std::int64_t track = reached.tracks[at(i)];
        const std::uint8_t known = edge(pose, track, node);
        if (known == kNotChecked || !isBlocked(known)) {
          best = along;
          found = track;
        }
      }
    }
    if (found < 0) {
      return false;
    }
    std::uint8_t& verdict = edge(pose, found, node);
    if (verdict == kNotChecked) {
      verdict = static_cast<std::uint8_t>(
          task_.world == nullptr
              ? Verdict::kFree
              : task_.world->checkMotion(this->node(found, pose), there, resolution_.data(),
                                         CollisionWorld::kSure, memory_));
    }
    if (!isBlocked(verdict)) {
      cost_[at((pose + 1) * count + node)] = best + error;
      parent[at((pose + 1) * count + node)] = found;
      return true;
    }
  }
}

std::vector<std::int64_t> Layers::shortest(const Wanted& wanted) {
  const std::int64_t count = size();
  const auto usable = [&](std::int64_t k, std::int64_t t) {
    return isUsable(k, t) && (t + 1 < task_.num_poses || wanted.last[at(k)] != 0) &&
           (!wanted.usable || wanted.usable(k, t));
  };
  cost_width_ = count;
  cost_.assign(at(task_.num_poses * count), kInfinity);
  std::vector<std::int64_t> parent(at(task_.num_poses * count), -1);
  Reached reached{{}, {}, Rows(task_.size)};
  std::int64_t last = -1;
  for (std::int64_t k = 0; k < count; ++k) {
    if (usable(k, 0) && wanted.first[at(k)] < kInfinity) {
      cost_[at(k)] = wanted.first[at(k)] + (wanted.bottleneck ? 0.0 : errorAt(k, 0));
      reached.add(k, cost_[at(k)], node(k, 0));
      last = 0;
    }
  }
  for (std::int64_t t = 0; t + 1 < task_.num_poses && last == t; ++t) {
    Reached next{{}, {}, Rows(task_.size)};
    for (std::int64_t j = 0; j < count; ++j) {
      if (usable(j, t + 1) && reach(t, j, wanted, reached, parent)) {
        next.add(j, cost_[at((t + 1) * count + j)], node(j, t + 1));
        last = t + 1;
      }
    }
    reached = std::move(next);
  }
  std::vector<std::int64_t> nodes(at(last + 1));
  if (last >= 0) {
    const auto row = cost_.begin() + last * count;
    nodes.back() = std::min_element(row, row + count) - row;
    for (std::int64_t t = last; t > 0; --t) {
      nodes[at(t - 1)] = parent[at(t * count + nodes[at(t)])];
    }
  }
  return nodes;
}

Rows Layers::path(const std::vector<std::int64_t>& nodes) const {
  Rows found(task_.size);
  for (std::size_t t = 0; t < nodes.size(); ++t) {
    found.append(node(nodes[t], static_cast<std::int64_t>(t)));
  }
  return found;
}

Rows Layers::longestTrack(const std::vector<double>& first, const std::vector<char>& last) const {
  Rows longest(task_.size);
  for (std::int64_t k = 0; k < size(); ++k) {
    if (!(first[at(k)] < kInfinity)) {
      continue;
    }
    const std::int64_t most = task_.num_poses - (last[at(k)] != 0 ? 0 : 1);
    std::int64_t reached = 0;
    while (reached < most && isUsable(k, reached) &&
           (reached == 0 || edge(reached - 1, k, k) == 0)) {
      ++reached;
    }
    if (reached > longest.size()) {
      longest = {task_.size, node(k, 0), reached};
    }
  }
  return longest;
}

std::vector<std::int64_t> Layers::leadingToTheEnd(const std::vector<char>& last) const {
  std::vector<std::int64_t> from;
  for (std::int64_t k = 0; k < size(); ++k) {
    std::int64_t t = task_.num_poses;
    // The shapes themselves may have found since that a motion collides. A motion that was never
    // checked is none of the track.
    while (t > 0 && isUsable(k, t - 1) &&
           (t == task_.num_poses ? last[at(k)] != 0 : !isBlocked(edge(t - 1, k, k)))) {
      --t;
    }
    from.push_back(t);
  }
  return from;
}

}  // namespace generative_ik::paths

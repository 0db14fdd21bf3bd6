#include "path_search.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <utility>

#include "../simd/constants.hpp"

namespace generative_ik::paths {
namespace {

// Starts whose tracks are added at a time. It does not depend on the number of threads, so neither
// do the results.
constexpr std::array<std::int64_t, 3> kBatches = {16, 16, 32};
// Solutions of a pose from which tracks are added both ways.
constexpr std::int64_t kMore = 32;
// Poses that nothing has reached at which such tracks are begun.
constexpr int kThin = 3;
// Tracks that are bent towards an end state, those that come nearest to it.
constexpr std::size_t kMostBent = 4;
constexpr std::int64_t kEverywhere = std::int64_t{1} << 62;

/// Waves that are sent where tracks do not suffice: how wide they are, their random seeds beside
/// each configuration, and how many poses before the one that is not reached they begin.
struct WaveOptions {
  std::int64_t width;
  std::int64_t beside;
  std::int64_t back;
};
constexpr std::array<WaveOptions, 4> kWaves = {
    {{32, 0, 40}, {128, 0, kEverywhere}, {512, 4, kEverywhere}, {2048, 4, kEverywhere}}};
// Poses from which further tracks are begun where any path will do, and from how many solutions of
// each if the first tracks led to the end.
constexpr std::int64_t kRounds = 7;
constexpr std::int64_t kFew = 8;
// Poses one after the other from which further tracks improve nothing, when a search is over.
constexpr int kIdle = 48;
// Time after the deadline in which the first part of a path may be checked closely.
constexpr std::chrono::milliseconds kAfter(5);
// Paths of a stage that turn out to collide, after which the next stage begins.
constexpr int kBlocked = 100;
// Steps towards the greatest margin, and the first of them, as a share of what may be left.
constexpr int kBisections = 10;
constexpr double kSlightly = 0.02;

// A number of van der Corput's sequence 1/2, 1/4, 3/4, ...; they count from 1.
double spread(std::int64_t number) {
  double share = 0.0;
  for (double bit = 0.5; number > 0; number >>= 1, bit /= 2.0) {
    share += (number & 1) != 0 ? bit : 0.0;
  }
  return share;
}

bool isRow(const double* q, const Rows& row) {
  return std::equal(q, q + row.width(), row[0]);
}

}  // namespace

PathSearch::PathSearch(const PathTask& task, std::optional<Objective> objective, Ends ends,
                       Narrower narrower, bool reports, std::shared_ptr<Layers> layers)
    : task_(task),
      close_task_(task.closely()),
      with_objective_(objective.has_value()),
      comparison_(task, objective.value_or(Objective::kLength)),
      ends_(std::move(ends)),
      narrower_(std::move(narrower)),
      reports_(reports),
      motions_(task),
      closely_(close_task_),
      smoother_(task, motions_),
      layers_(layers ? std::move(layers) : std::make_shared<Layers>(task)),
      best_(task.size) {}

Found PathSearch::run() {
  if (ends_.last) {
    layers_->addTracks(*ends_.last, task_.num_poses - 1);
  }
  searchOn();
  if (!complete() && timed_out_) {
    Rows far = furthest();
    best_ = far.size() > best_.size() ? std::move(far) : best_;
  }
  TrackEnd end{best_.size(), Ending::kComplete, {}, {}};
  if (!complete()) {
    end = why(best_.size());
  }
  return {best_, std::move(end), timed_out_, refused_};
}

bool PathSearch::isLate() {
  timed_out_ = timed_out_ || task_.isLate();
  return timed_out_;
}

bool PathSearch::consider(const Rows& path, bool again) {
  if (path.size() == task_.num_poses) {
    const bool smoothed = !again && path == best_;
    if (!complete()) {
      keep(path);
    }
    if (!cancelled_ && (!smoothed || with_objective_)) {
      keep(smooth(path));
    }
  } else if (!complete() && path.size() > best_.size()) {
    best_ = path;
  }
  return !isLate() && !cancelled_;
}

// Considers the best path of one stage of the search after the other; returns whether to go on.
bool PathSearch::searchOn() {
  const Rows from = starts();
  if (from.empty()) {
    return consider(from);
  }
  std::int64_t begin = 0;
  for (const std::int64_t size : kBatches) {
    // One batch more than it takes costs little, and often finds a shorter path.
    if (complete() && !with_objective_ && batches_ > 1) {
      break;
    }
    if (begin < from.size()) {
      layers_->addTracks(from.part(begin, std::min(begin + size, from.size())), 0,
                         ends_.before.has_value());
      begin += size;
      ++batches_;
      if (!consider(shortest())) {
        return false;
      }
    }
  }
  const bool easy = complete();
  if (!easy && !searchWhereThin()) {
    return false;
  }
  if (!complete() && ends_.last && !consider(bent())) {
    return false;
  }
  if (!complete() && narrower_) {
    layers_->addPath(narrower_());
    if (!consider(shortest())) {
      return false;
    }
  }
  if (!complete() && !impossible_ && !waves([this](const Rows& path) { return consider(path); })) {
    return false;
  }
  if (complete() && with_objective_) {
    return improve(kMore, kEverywhere);
  }
  if (complete() && !ends_.first && smoother_.nullity() > 0) {
    return improve(easy ? kFew : kMore, kRounds);
  }
  return true;
}

Rows PathSearch::furthest() {
  const Rows track = layers_->longestTrack(firstCosts(), lastNodes());
  return closely_.freePart(track, soon(), true);
}

// Until when the first part of a path may be checked that is returned because time is up.
parallel::Clock::time_point PathSearch::soon() const {
  return std::min(task_.stop->deadline, parallel::Clock::now()) + kAfter;
}

Rows PathSearch::bent() {
  Rows nothing(task_.size);
  if (!ends_.last) {
    return nothing;
  }
  const double* end = (*ends_.last)[0];
  const std::vector<double> first = firstCosts();
  std::vector<std::pair<double, std::int64_t>> tracks;  // by how far they are from the end
  for (std::int64_t k = 0; k < layers_->size(); ++k) {
    bool whole = first[at(k)] < kInfinity;
    for (std::int64_t t = 0; whole && t < task_.num_poses; ++t) {
      whole = layers_->isUsable(k, t);
    }
    if (whole) {
      tracks.emplace_back(task_.lengthOf(layers_->node(k, task_.num_poses - 1), end), k);
    }
  }
  std::sort(tracks.begin(), tracks.end());
  for (std::size_t i = 0; i < std::min(tracks.size(), kMostBent); ++i) {
    const Rows track{task_.size, layers_->node(tracks[i].second, 0), task_.num_poses};
    const auto path = smoother_.bend(track, end);
    if (path && hits(*path).empty()) {
      return *path;
    }
  }
  return nothing;
}

Rows PathSearch::starts() const {
  if (ends_.before) {
    return *ends_.before;
  }
  if (ends_.first) {
    return *ends_.first;
  }
  return task_.solutions(0, kBatches[0] + kBatches[1] + kBatches[2], 0);
}

// Begins tracks at the first pose that is not reached, both ways.
bool PathSearch::searchWhereThin() {
  std::vector<std::int64_t> tried;
  for (int k = 0; k < kThin; ++k) {
    const std::int64_t pose = best_.size();
    if (std::find(tried.begin(), tried.end(), pose) != tried.end()) {
      return true;
    }
    tried.push_back(pose);
    const Rows more = task_.solutions(pose, kMore, 0);
    if (more.empty()) {
      impossible_ = true;
      return true;
    }
    layers_->addTracks(more, pose);
    if (!consider(shortest())) {
      return false;
    }
    if (complete()) {
      return true;
    }
  }
  return true;
}

bool PathSearch::waves(const Consider& consider) {
  // What is reached may be what another search of the same layers has reached.
  static_cast<void>(bestNodes(0));
  for (const WaveOptions& options : kWaves) {
    auto [found, first] = wave(options.width, options.beside, best_.size() - options.back);
    if (found.end.ending != Ending::kComplete && found.end.pose >= furthest_.pose) {
      furthest_ = found.end;
    }
    layers_->addPath(found.path, first);
    if (!consider(shortest())) {
      return false;
    }
    // No wave is wide enough for a pose without solutions.
    if (complete() || task_.solutions(best_.size(), 1, 0).empty()) {
      return true;
    }
  }
  return true;
}

// Sends a wave from all that is reached of a pose; returns the first pose that it passes.
std::pair<Wave, std::int64_t> PathSearch::wave(std::int64_t width, std::int64_t beside,
                                               std::int64_t pose) {
  WaveSearch search(task_, motions_, *layers_, width, beside);
  WaveStart start{
      Rows(task_.size), {}, 0, layers_->leadingToTheEnd(lastNodes()), ends_.last.has_value()};
  if (pose <= 0 && ends_.before) {
    start.starts = *ends_.before;
    start.costs = {0.0};
    Wave found = search.run(std::move(start));
    found.path = found.path.part(1, found.path.size());
    return {std::move(found), 0};
  }
  pose = std::max<std::int64_t>(pose, 0);
  for (std::int64_t k = 0; k < layers_->size(); ++k) {
    if (layers_->cost(pose, k) < kInfinity) {
      start.starts.append(layers_->node(k, pose));
      start.costs.push_back(layers_->cost(pose, k));
    }
  }
  if (start.starts.empty()) {
    return {{Rows(task_.size), {pose, Ending::kUnreached, {}, {}}}, pose};
  }
  start.first = pose + 1;
  return {search.run(std::move(start)), pose};
}

// Begins tracks at poses all along the path, until they have led to nothing for long. Args: count:
// solutions of a pose from which they begin. rounds: most poses.
bool PathSearch::improve(std::int64_t count, std::int64_t rounds) {
  int idle = 0;
  for (std::int64_t round = 1; idle < kIdle && round <= rounds; ++round) {
    const auto pose = static_cast<std::int64_t>(
        std::nearbyint(spread(round) * static_cast<double>(task_.num_poses - 1)));
    const Rows more = task_.solutions(pose, count, round);
    const Score score = score_;
    if (layers_->size() + more.size() > layers_->room()) {
      beginAnew();
    }
    if (!more.empty()) {
      const std::int64_t known = layers_->size();
      layers_->addTracks(more, pose);
      if (!consider(shortest())) {
        return false;
      }
      // Not as short as what is smooth already, but it may become shorter.
      if (!comparison_.ofPoses() && !consider(shortest(known))) {
        return false;
      }
    }
    idle = score_ != score ? 0 : idle + 1;
    if (isLate()) {
      return false;
    }
  }
  // Smoothing has an end of its own, and begins anew where it is called again.
  return consider(best_, true);
}

// Forgets all tracks but the best path, to have room for others.
void PathSearch::beginAnew() {
  layers_ = std::make_shared<Layers>(task_);
  if (ends_.last) {
    layers_->addTracks(*ends_.last, task_.num_poses - 1);
  }
  layers_->addPath(best_);
}

Rows PathSearch::shortest(std::int64_t first) {
  Rows nothing(task_.size);
  for (int k = 0; k < kBlocked; ++k) {
    const std::vector<std::int64_t> nodes = bestNodes(first);
    Rows path = layers_->path(nodes);
    if (path.empty() || path == best_) {
      return path;
    }
    if (isLate()) {
      return closely_.freePart(path, soon(), false);
    }
    const std::vector<std::int64_t> wrong = hits(path);
    if (wrong.empty()) {
      return path;
    }
    for (const std::int64_t t : wrong) {
      refused_ = refused_ || (t >= 0 && motions_.isFree(path[t], path[t + 1]));
      if (t < 0 || motions_.collides(path[t + 1], path[t + 1])) {
        layers_->blockNode(t + 1, nodes[at(t + 1)]);
      } else {
        layers_->blockMotion(t + 1, nodes[at(t)], nodes[at(t + 1)]);
      }
    }
  }
  return nothing;
}

// Which motions of a path collide, at closer points; -1 is its first pose.
std::vector<std::int64_t> PathSearch::hits(const Rows& path) {
  std::vector<std::int64_t> found;
  if (task_.world == nullptr || path.empty()) {
    return found;
  }
  const std::vector<Verdict> verdicts =
      closely_.verdicts(path.part(0, path.size() - 1), path.part(1, path.size()));
  if (closely_.collides(path[0], path[0])) {
    found.push_back(-1);
  }
  for (std::int64_t t = 0; t + 1 < path.size(); ++t) {
    const Verdict verdict = verdicts[at(t)];
    if (verdict >= Verdict::kInside ||
        (verdict == Verdict::kUndecided && closely_.collides(path[t], path[t + 1]))) {
      found.push_back(t);
    }
  }
  return found;
}

std::vector<std::int64_t> PathSearch::bestNodes(std::int64_t since) {
  Wanted wanted{firstCosts(), lastNodes()};
  if (since > 0) {
    wanted.usable = [since](std::int64_t k, std::int64_t /*pose*/) { return k >= since; };
    return layers_->shortest(wanted);
  }
  std::vector<std::int64_t> nodes = layers_->shortest(wanted);
  if (!with_objective_ || static_cast<std::int64_t>(nodes.size()) < task_.num_poses) {
    return nodes;
  }
  if (comparison_.objective() == Objective::kLargestStep) {
    Wanted smallest = wanted;
    smallest.bottleneck = true;
    for (double& cost : smallest.first) {
      cost = std::min(cost, kInfinity) < kInfinity ? 0.0 : cost;
    }
    const Rows best = layers_->path(layers_->shortest(smallest));
    wanted.longest = comparison_.value(best) * (1.0 + 1e-9);
    return layers_->shortest(wanted);
  }
  return comparison_.ofPoses() ? clearest(std::move(wanted), std::move(nodes)) : nodes;
}

// The margins of a track's nodes at all poses.
std::vector<double> PathSearch::measured(std::int64_t track) const {
  Rows usable(task_.size);
  std::vector<std::int64_t> there;
  for (std::int64_t t = 0; t < task_.num_poses; ++t) {
    if (layers_->isUsable(track, t)) {
      usable.append(layers_->node(track, t));
      there.push_back(t);
    }
  }
  std::vector<double> found(there.size());
  comparison_.writeMargins(usable, found.data());
  std::vector<double> margins(at(task_.num_poses), -kInfinity);
  for (std::size_t i = 0; i < there.size(); ++i) {
    margins[at(there[i])] = found[i];
  }
  return margins;
}

// The nodes of the path with the greatest margin, or those of any path given, by bisection.
std::vector<std::int64_t> PathSearch::clearest(Wanted wanted, std::vector<std::int64_t> nodes) {
  const std::int64_t poses = task_.num_poses;
  std::vector<double> most_at(at(poses), -kInfinity);
  for (std::int64_t k = 0; k < layers_->size(); ++k) {
    std::vector<double>& margins = layers_->margins(k);
    if (margins.empty()) {
      margins = measured(k);
    }
    for (std::int64_t t = 0; t < poses; ++t) {
      most_at[at(t)] = std::max(most_at[at(t)], margins[at(t)]);
    }
  }
  const double known = complete() ? score_.first : -kInfinity;
  double least = std::max(comparison_.value(layers_->path(nodes)), known);
  double most = *std::min_element(most_at.begin(), most_at.end());
  // Most of the time nothing is better than what is known.
  double middle = least + kSlightly * (most - least);
  for (int k = 0; k < kBisections; ++k) {
    wanted.usable = [this, middle](std::int64_t track, std::int64_t pose) {
      return layers_->margins(track)[at(pose)] >= middle;
    };
    std::vector<std::int64_t> some = layers_->shortest(wanted);
    if (some.size() == nodes.size()) {
      nodes = std::move(some);
      least = middle;
    } else if (most - middle > (1.0 - 2.0 * kSlightly) * (most - least)) {
      break;
    } else {
      most = middle;
    }
    middle = 0.5 * (least + most);
  }
  return nodes;
}

// What it costs to begin at each node of the first layer.
std::vector<double> PathSearch::firstCosts() {
  std::vector<double> costs(at(layers_->size()), kInfinity);
  for (std::int64_t k = 0; k < layers_->size(); ++k) {
    if (!layers_->isUsable(k, 0)) {
      continue;
    }
    const double* node = layers_->node(k, 0);
    if (ends_.first && !isRow(node, *ends_.first)) {
      continue;
    }
    if (!ends_.before) {
      costs[at(k)] = 0.0;
    } else if (const double* before = (*ends_.before)[0];
               task_.isStep(before, node) && closely_.isFree(before, node)) {
      costs[at(k)] = task_.lengthOf(before, node);
    }
  }
  return costs;
}

// At which nodes of the last layer a path may end.
std::vector<char> PathSearch::lastNodes() const {
  std::vector<char> may_end(at(layers_->size()), 1);
  for (std::int64_t k = 0; ends_.last && k < layers_->size(); ++k) {
    const bool there = layers_->isUsable(k, task_.num_poses - 1) &&
                       isRow(layers_->node(k, task_.num_poses - 1), *ends_.last);
    may_end[at(k)] = there ? 1 : 0;
  }
  return may_end;
}

Rows PathSearch::smooth(const Rows& path) {
  std::vector<char> held(at(path.size()), 0);
  held.front() = ends_.first || ends_.before ? 1 : 0;
  held.back() = held.back() != 0 || ends_.last ? 1 : 0;
  return smoother_.improve(path, held, comparison_, [this](const Rows& one) { return hits(one); });
}

void PathSearch::keep(const Rows& path) {
  const Score score = comparison_.score(path);
  if (!complete() || comparison_.isBetter(score, score_)) {
    best_ = path;
    score_ = score;
    layers_->addPath(path);
    cancelled_ = reports_ && !task_.calls->offer(path, score.first);
  }
}

TrackEnd PathSearch::why(std::int64_t pose) const {
  TrackEnd end{pose, Ending::kTooFar, {}, {}};
  bool any = false;
  for (const TrackEnd& one : layers_->endings()) {
    if (one.pose == pose && (!any || one.ending > end.ending)) {
      end = one;
      any = true;
    }
  }
  return furthest_.pose == pose && furthest_.ending >= end.ending ? furthest_ : end;
}

}  // namespace generative_ik::paths

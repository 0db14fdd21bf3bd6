#include "wave.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "../search/recurrence.hpp"

namespace generative_ik::paths {
namespace {

// Size of a grid cell as a share of a step.
constexpr double kCell = 0.25;
// The cells grow by this as long as there are more of them than the wave is wide.
constexpr double kCoarser = 1.3;
// The shapes themselves decide on one motion for so many configurations that the wave lacks; each
// may take milliseconds.
constexpr std::int64_t kDecided = 4;
// Motions to goals that are tried at a pose.
constexpr std::size_t kJoins = 8;
// Share of a step that leads from a configuration to the seeds beside it.
constexpr double kStride = 0.8;

// Directions (k, k) in a null space, other ones at every pose.
std::vector<double> directionsAt(std::int64_t t, std::int64_t k) {
  std::vector<double> found(at(k * k), 1.0);
  if (k > 1) {
    std::mt19937_64 random(static_cast<std::uint64_t>(t));
    const auto unit = [&random] { return (static_cast<double>(random() >> 11U) + 0.5) * 0x1p-53; };
    for (double& number : found) {
      number = std::sqrt(-2.0 * std::log(unit())) * std::cos(kTurn * unit());
    }
  }
  return found;
}

/// The first configurations in the cells of a grid.
class Cells {
 public:
  Cells(const Rows& rows, const double* step, double cell)
      : rows_(rows), step_(step), cell_(cell) {}

  /// Those in some order that are the first in their cell.
  [[nodiscard]] std::vector<std::int64_t> first(const std::vector<std::int64_t>& order) const {
    std::size_t size = 4;
    while (size <= 2 * order.size()) {
      size *= 2;
    }
    std::vector<std::int64_t> table(size, -1);
    std::vector<std::int64_t> kept;
    for (const std::int64_t k : order) {
      std::size_t place = hash(k) & (size - 1);
      while (table[place] >= 0 && !isSame(table[place], k)) {
        place = (place + 1) & (size - 1);
      }
      if (table[place] < 0) {
        table[place] = k;
        kept.push_back(k);
      }
    }
    return kept;
  }

 private:
  [[nodiscard]] double index(std::int64_t k, std::int64_t v) const {
    return std::floor(rows_[k][v] / (cell_ * step_[v]));
  }
  [[nodiscard]] std::size_t hash(std::int64_t k) const {
    constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15U;
    std::uint64_t key = 0;
    for (std::int64_t v = 0; v < rows_.width(); ++v) {
      key =
          (key ^ static_cast<std::uint64_t>(static_cast<std::int64_t>(index(k, v)))) * kMultiplier;
      key ^= key >> 29U;
    }
    return static_cast<std::size_t>(key);
  }
  [[nodiscard]] bool isSame(std::int64_t i, std::int64_t k) const {
    for (std::int64_t v = 0; v < rows_.width(); ++v) {
      if (index(i, v) != index(k, v)) {
        return false;
      }
    }
    return true;
  }

  const Rows& rows_;
  const double* step_;
  double cell_;
};

std::vector<std::int64_t> sortedBy(const std::vector<double>& cost) {
  std::vector<std::int64_t> order(cost.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&cost](std::int64_t a, std::int64_t b) { return cost[at(a)] < cost[at(b)]; });
  return order;
}

}  // namespace

WaveSearch::WaveSearch(const PathTask& task, MotionCheck& motions, const Layers& layers,
                       std::int64_t width, std::int64_t beside)
    : task_(task),
      motions_(motions),
      layers_(layers),
      width_(width),
      beside_(beside),
      freedom_(task),
      shift_(at(task.size)),
      ratios_(at(task.size)) {
  search::writeRecurrence(0, task.size, shift_.data(), ratios_.data());
}

Wave WaveSearch::run(WaveStart start) {
  std::vector<Rows> rows = {start.starts};
  std::vector<std::vector<std::int64_t>> parents(1);
  std::vector<double> costs = std::move(start.costs);
  std::int64_t t = start.first;
  std::int64_t row = -1;
  TrackEnd end{t, Ending::kComplete, {}, {}};
  while (t < task_.num_poses) {
    if (task_.isLate()) {
      end.ending = Ending::kUnderWay;
      break;
    }
    const Rows& layer = rows.back();
    if (const auto joined = join(layer, costs, start.goals, t)) {
      rows.emplace_back(task_.size, layers_.node(joined->goal, t), 1);
      parents.push_back({joined->row});
      row = 0;
      ++t;
      break;
    }
    if (start.only_goals && t + 1 == task_.num_poses) {
      end.ending = Ending::kTooFar;
      break;
    }
    const Moves moved = moves(t, layer);
    std::vector<double> cost(moved.parent.size());
    for (std::size_t m = 0; m < cost.size(); ++m) {
      const double* there = moved.found[static_cast<std::int64_t>(m)];
      cost[m] = costs[at(moved.parent[m])] + task_.lengthOf(layer[moved.parent[m]], there) +
                task_.errorCost(there, t);
    }
    const std::vector<std::int64_t> chosen = kept(moved.found, free(layer, moved, cost));
    if (chosen.empty()) {
      end = moved.end;
      break;
    }
    Rows next(task_.size);
    std::vector<std::int64_t> from;
    std::vector<double> reached;
    for (const std::int64_t k : chosen) {
      next.append(moved.found[k]);
      from.push_back(moved.parent[at(k)]);
      reached.push_back(cost[at(k)]);
    }
    rows.push_back(std::move(next));
    parents.push_back(std::move(from));
    costs = std::move(reached);
    ++t;
  }
  if (row < 0) {
    row = std::min_element(costs.begin(), costs.end()) - costs.begin();
  }
  std::vector<std::int64_t> nodes(rows.size());
  for (std::size_t k = rows.size(); k-- > 0;) {
    nodes[k] = row;
    row = k > 0 ? parents[k][at(row)] : row;
  }
  Rows path(task_.size);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    path.append(rows[k][nodes[k]]);
  }
  end.pose = t;
  return {std::move(path), std::move(end)};
}

// The shortest way from a layer to a goal of the next pose, if there is any.
std::optional<WaveSearch::Join> WaveSearch::join(const Rows& layer,
                                                 const std::vector<double>& costs,
                                                 const std::vector<std::int64_t>& goals,
                                                 std::int64_t t) {
  std::vector<Join> joins;
  std::vector<double> lengths;
  for (std::int64_t m = 0; m < layer.size(); ++m) {
    for (std::int64_t k = 0; k < static_cast<std::int64_t>(goals.size()); ++k) {
      if (goals[at(k)] <= t && task_.isStep(layer[m], layers_.node(k, t))) {
        joins.push_back({m, k});
        const double* goal = layers_.node(k, t);
        lengths.push_back(costs[at(m)] + task_.lengthOf(layer[m], goal) +
                          task_.errorCost(goal, t));
      }
    }
  }
  const std::vector<std::int64_t> order = sortedBy(lengths);
  for (std::size_t k = 0; k < std::min(order.size(), kJoins); ++k) {
    const Join& one = joins[at(order[k])];
    if (motions_.isFree(layer[one.row], layers_.node(one.goal, t))) {
      return one;
    }
  }
  return std::nullopt;
}

// Solves pose t from all configurations of a layer, and from seeds beside them.
WaveSearch::Moves WaveSearch::moves(std::int64_t t, const Rows& layer) const {
  Rows seeds = layer;
  addAlong(t, layer, seeds);
  addAround(t, layer, seeds);
  Rows current(task_.size);
  for (std::int64_t s = 0; s < seeds.size(); ++s) {
    current.append(layer[s % layer.size()]);
    for (std::int64_t v = 0; v < task_.size; ++v) {
      seeds[s][v] = std::clamp(seeds[s][v], task_.lower[v], task_.upper[v]);
    }
  }
  Rows there(task_.size, seeds.size());
  std::vector<Verdict> verdicts(at(seeds.size()));
  std::vector<Track> tracks;
  for (std::int64_t s = 0; s < seeds.size(); ++s) {
    tracks.push_back({t, 1, 1, current[s], seeds[s], there[s], &verdicts[at(s)]});
  }
  follow(task_, tracks);
  Moves found{Rows(task_.size), {}, {}, {t, Ending::kUnderWay, {}, {}}};
  double nearest = std::numeric_limits<double>::infinity();
  for (std::int64_t s = 0; s < seeds.size(); ++s) {
    const Ending ending = tracks[at(s)].ending;
    if (ending == Ending::kComplete) {
      found.found.append(there[s]);
      found.parent.push_back(s % layer.size());
      found.verdicts.push_back(verdicts[at(s)]);
    }
    found.end.ending = std::max(found.end.ending, ending);
    if (ending == Ending::kColliding) {
      double largest = 0.0;
      for (std::int64_t v = 0; v < task_.size; ++v) {
        largest = std::max(largest, std::abs(seeds[s][v] - current[s][v]));
      }
      if (largest < nearest) {
        nearest = largest;
        found.end.before.assign(current[s], current[s] + task_.size);
        found.end.after.assign(seeds[s], seeds[s] + task_.size);
      }
    }
  }
  if (!found.found.empty()) {
    found.end.ending = Ending::kColliding;
  }
  return found;
}

// Adds seeds beside configurations along their self-motions.
void WaveSearch::addAlong(std::int64_t t, const Rows& layer, Rows& seeds) const {
  const std::int64_t k = freedom_.nullity();
  const std::int64_t n = task_.size;
  if (k == 0) {
    return;
  }
  const std::vector<double> turns = directionsAt(t, k);
  const HeldTips tips = freedom_.at(layer, std::vector<std::int64_t>(at(layer.size()), t));
  std::vector<double> stride(at(n));
  std::vector<double> weight(at(n));
  for (std::int64_t v = 0; v < n; ++v) {
    stride[at(v)] = kStride * task_.max_step[v];
    weight[at(v)] = 1.0 / stride[at(v)];
  }
  NullSpace null_space(task_, freedom_);
  std::vector<double> bases(at(layer.size() * k * n));
  for (std::int64_t m = 0; m < layer.size(); ++m) {
    null_space.write({layer[m], t, tips.ways(m)}, weight.data(), nullptr,
                     bases.data() + m * k * n);
  }
  std::vector<double> along(at(n));
  for (std::int64_t d = 0; d < 2 * k; ++d) {
    const double sign = d % 2 == 0 ? 1.0 : -1.0;
    for (std::int64_t m = 0; m < layer.size(); ++m) {
      double largest = 1e-12;
      for (std::int64_t v = 0; v < n; ++v) {
        along[at(v)] = 0.0;
        for (std::int64_t a = 0; a < k; ++a) {
          along[at(v)] += turns[at(d / 2 * k + a)] * bases[at((m * k + a) * n + v)];
        }
        largest = std::max(largest, std::abs(along[at(v)]));
      }
      for (std::int64_t v = 0; v < n; ++v) {
        along[at(v)] = layer[m][v] + sign * stride[at(v)] * along[at(v)] / largest;
      }
      seeds.append(along.data());
    }
  }
}

// Adds random seeds beside configurations.
void WaveSearch::addAround(std::int64_t t, const Rows& layer, Rows& seeds) const {
  const std::int64_t count = beside_ * layer.size();
  std::vector<double> seed(at(task_.size));
  for (std::int64_t k = 0; k < count; ++k) {
    for (std::int64_t v = 0; v < task_.size; ++v) {
      const double unit =
          search::recurrencePoint(t * count + k + 1, ratios_[at(v)], shift_[at(v)]);
      seed[at(v)] = layer[k % layer.size()][v] + (2.0 * unit - 1.0) * task_.max_step[v];
    }
    seeds.append(seed.data());
  }
}

// Which motions are free, shortest paths first. Where spheres cannot tell, the shapes themselves
// decide, on so many of them.
std::vector<std::int64_t> WaveSearch::free(const Rows& layer, const Moves& moves,
                                           const std::vector<double>& cost) {
  const std::vector<std::int64_t> order = sortedBy(cost);
  std::vector<char> is_free(order.size());
  std::vector<std::int64_t> clear;
  std::vector<std::int64_t> unclear;
  for (const std::int64_t k : order) {
    const Verdict verdict = moves.verdicts[at(k)];
    is_free[at(k)] = verdict == Verdict::kFree ? 1 : 0;
    if (verdict == Verdict::kFree) {
      clear.push_back(k);
    } else if (verdict == Verdict::kUndecided) {
      unclear.push_back(k);
    }
  }
  if (unclear.empty()) {
    return clear;
  }
  const Cells cells(moves.found, task_.max_step, kCell);
  const std::int64_t lacking = width_ - static_cast<std::int64_t>(cells.first(clear).size());
  std::int64_t most = (std::max<std::int64_t>(lacking, 0) + kDecided - 1) / kDecided;
  for (const std::int64_t k : cells.first(unclear)) {
    if (most-- <= 0 || task_.isLate()) {
      break;
    }
    is_free[at(k)] = motions_.collides(layer[moves.parent[at(k)]], moves.found[k]) ? 0 : 1;
  }
  std::vector<std::int64_t> found;
  std::copy_if(order.begin(), order.end(), std::back_inserter(found),
               [&is_free](std::int64_t k) { return is_free[at(k)] != 0; });
  return found;
}

// Which configurations are kept of those in `order`, cheapest first.
std::vector<std::int64_t> WaveSearch::kept(const Rows& found,
                                           const std::vector<std::int64_t>& order) const {
  double cell = kCell;
  std::vector<std::int64_t> some = Cells(found, task_.max_step, cell).first(order);
  while (static_cast<std::int64_t>(some.size()) > width_) {
    cell *= kCoarser;
    some = Cells(found, task_.max_step, cell).first(some);
  }
  return some;
}

}  // namespace generative_ik::paths

#include "objective.hpp"

#include <cmath>
#include <limits>
#include <numeric>

namespace generative_ik::paths {
namespace {

// Share of a value by which a better one differs, and by which equal ones may differ.
constexpr double kGain = 1e-4;
constexpr double kEqual = 1e-6;

}  // namespace

double Comparison::limitMargin(const double* q) const {
  double least = 0.5;
  for (std::int64_t v = 0; v < task_.size; ++v) {
    const double range = task_.upper[v] - task_.lower[v];
    if (std::isfinite(range) && range > 0.0) {
      least = std::min(least, std::min(q[v] - task_.lower[v], task_.upper[v] - q[v]) / range);
    }
  }
  return least;
}

void Comparison::writeMargins(const Rows& rows, double* margins) const {
  if (objective_ == Objective::kClearance) {
    CollisionMemory memory;
    Nearest nearest;
    for (std::int64_t i = 0; i < rows.size(); ++i) {
      margins[i] = std::max(task_.world->clearance(rows[i], nearest, memory), 0.0);
    }
    return;
  }
  for (std::int64_t i = 0; i < rows.size(); ++i) {
    margins[i] = limitMargin(rows[i]);
  }
}

double Comparison::value(const Rows& path) const {
  if (ofPoses()) {
    std::vector<double> margins(at(path.size()), 0.0);
    writeMargins(path, margins.data());
    return std::accumulate(margins.begin(), margins.end(), std::numeric_limits<double>::infinity(),
                           [](double a, double b) { return std::min(a, b); });
  }
  double total = 0.0;
  for (std::int64_t t = 0; objective_ == Objective::kLength && t < path.size(); ++t) {
    total += task_.errorCost(path[t], t);
  }
  for (std::int64_t t = 0; t + 1 < path.size(); ++t) {
    total = objective_ == Objective::kLength
                ? total + task_.lengthOf(path[t], path[t + 1])
                : std::max(total, task_.largestOf(path[t], path[t + 1]));
  }
  return total;
}

Score Comparison::score(const Rows& path) const {
  const std::vector<double> lengths = task_.lengths(path);
  return {value(path), std::accumulate(lengths.begin(), lengths.end(), 0.0)};
}

bool Comparison::isBetter(const Score& one, const Score& other) const {
  const double gain = ofPoses() ? one.first - other.first : other.first - one.first;
  const double scale = std::max(std::abs(other.first), 1e-9);
  if (std::abs(gain) > kGain * scale) {
    return gain > 0.0;
  }
  return gain >= -kEqual * scale && other.second - one.second > kGain * other.second;
}

std::vector<std::int64_t> Comparison::worsePoses(const Rows& path, double value) const {
  std::vector<std::int64_t> found;
  if (ofPoses()) {
    std::vector<double> margins(at(path.size()));
    writeMargins(path, margins.data());
    for (std::int64_t t = 0; t < path.size(); ++t) {
      if (margins[at(t)] < value - kEqual * std::max(std::abs(value), 1e-9)) {
        found.push_back(t);
      }
    }
  }
  return found;
}

}  // namespace generative_ik::paths

#include <algorithm>
#include <cmath>
#include <generative_ik/candidates.hpp>
#include <limits>
#include <numeric>
#include <utility>

namespace generative_ik {

bool CandidateList::add(const Vector& q) {
  if (q.size() != box_.seed().size() || !q.allFinite()) {
    return false;
  }
  Vector turned = box_.nearestTurn(q);
  if (!box_.contains(turned) || !reaches_(turned)) {
    return false;
  }
  if (isKnown(turned)) {
    return false;
  }
  by_sum_.emplace(turned.sum(), found_.size());
  found_.push_back(std::move(turned));
  return true;
}

// Only what has about the same sum can be a duplicate: of thousands, hardly any.
bool CandidateList::isKnown(const Vector& q) const {
  const double room = 1.01 * kSameSolution * static_cast<double>(q.size());
  const auto last = by_sum_.upper_bound(q.sum() + room);
  return std::any_of(by_sum_.lower_bound(q.sum() - room), last, [&](const auto& entry) {
    return (found_[entry.second] - q).cwiseAbs().maxCoeff() <= kSameSolution;
  });
}

std::vector<Vector> CandidateList::takeNearestFirst() {
  std::vector<Vector> taken(found_.begin() + static_cast<std::ptrdiff_t>(taken_), found_.end());
  taken_ = found_.size();
  return orderByCost(std::move(taken), [this](const Vector& q) { return box_.seedDistance(q); });
}

std::vector<Vector> CandidateList::turned(std::size_t most) const {
  std::vector<Vector> all = found_;
  for (Eigen::Index i = 0; i < box_.seed().size(); ++i) {
    const std::size_t before = all.size();
    for (std::size_t at = 0; at < before && all.size() < found_.size() + most; ++at) {
      for (const double position : box_.otherTurns(i, all[at][i], most)) {
        Vector q = all[at];
        q[i] = position;
        all.push_back(std::move(q));
      }
    }
  }
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(found_.size()));
  return orderByCost(std::move(all), [this](const Vector& q) { return box_.seedDistance(q); });
}

std::vector<Vector> orderByCost(std::vector<Vector> candidates,
                                const std::function<double(const Vector&)>& cost) {
  std::vector<double> costs(candidates.size());
  std::transform(candidates.begin(), candidates.end(), costs.begin(), [&](const Vector& q) {
    const double value = cost(q);
    return std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
  });
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return costs[a] < costs[b]; });
  std::vector<Vector> ordered;
  ordered.reserve(candidates.size());
  for (const std::size_t at : order) {
    ordered.push_back(std::move(candidates[at]));
  }
  return ordered;
}

}  // namespace generative_ik

#include <algorithm>
#include <cmath>
#include <generative_ik/search_box.hpp>
#include <stdexcept>
#include <utility>

#include "../simd/constants.hpp"

namespace generative_ik {
namespace {

constexpr double kRounding = 1e-9;

void check(std::size_t size, const Vector& seed, const ConsistencyLimits& limits) {
  if (seed.size() != static_cast<Eigen::Index>(size)) {
    throw std::invalid_argument("the seed has " + std::to_string(seed.size()) + " entries for " +
                                std::to_string(size) + " variables");
  }
  if (!seed.allFinite()) {
    throw std::invalid_argument("the seed is not finite");
  }
  if (!limits.empty() && limits.size() != size) {
    throw std::invalid_argument("there are " + std::to_string(limits.size()) +
                                " consistency limits for " + std::to_string(size) +
                                " variables; give one for each, or none");
  }
  // Negated so that NaN is refused as well.
  if (!std::all_of(limits.begin(), limits.end(), [](double limit) { return limit >= 0.0; })) {
    throw std::invalid_argument("a consistency limit is negative or NaN");
  }
}

Vector middleOf(const std::vector<Variable>& variables) {
  Vector middle = Vector::Zero(static_cast<Eigen::Index>(variables.size()));
  for (Eigen::Index i = 0; i < middle.size(); ++i) {
    const Variable& variable = variables[static_cast<std::size_t>(i)];
    const double centre = 0.5 * (variable.lower + variable.upper);
    middle[i] = !variable.continuous && std::isfinite(centre) ? centre : 0.0;
  }
  return middle;
}

}  // namespace

SearchBox::SearchBox(const std::vector<Variable>& variables)
    : SearchBox(variables, middleOf(variables)) {}

SearchBox::SearchBox(const std::vector<Variable>& variables, Vector seed,
                     const ConsistencyLimits& consistency_limits)
    : seed_(std::move(seed)) {
  check(variables.size(), seed_, consistency_limits);
  kinds_.reserve(variables.size());
  lower_.resize(seed_.size());
  upper_.resize(seed_.size());
  for (Eigen::Index i = 0; i < seed_.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Variable& variable = variables[at];
    kinds_.push_back({variable.revolute && variable.periodic, variable.continuous});
    lower_[i] = variable.continuous ? -kInfinity : variable.lower;
    upper_[i] = variable.continuous ? kInfinity : variable.upper;
    if (!consistency_limits.empty()) {
      lower_[i] = std::max(lower_[i], seed_[i] - consistency_limits[at]);
      upper_[i] = std::min(upper_[i], seed_[i] + consistency_limits[at]);
    }
  }
}

bool SearchBox::empty() const {
  return (lower_.array() > upper_.array() + kRounding).any();
}

bool SearchBox::contains(const Vector& q) const {
  return q.allFinite() && (q.array() >= lower_.array() - kRounding).all() &&
         (q.array() <= upper_.array() + kRounding).all();
}

Vector SearchBox::nearestTurn(const Vector& q) const {
  Vector turned = q;
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    if (!kinds_[static_cast<std::size_t>(i)].turns || !std::isfinite(q[i])) {
      continue;
    }
    double best = seed_[i] + std::remainder(q[i] - seed_[i], kTurn);
    if (best < lower_[i] - kRounding) {
      best += kTurn * std::ceil((lower_[i] - kRounding - best) / kTurn);
    } else if (best > upper_[i] + kRounding) {
      best -= kTurn * std::ceil((best - upper_[i] - kRounding) / kTurn);
    }
    // A value that needs no turn is returned without rounding.
    turned[i] = std::abs(best - q[i]) < kRounding ? q[i] : best;
  }
  const Vector clamped = clamp(turned);
  return ((clamped - turned).array().abs() <= kRounding).select(clamped, turned);
}

Vector SearchBox::clamp(const Vector& q) const {
  return q.cwiseMax(lower_).cwiseMin(upper_);
}

Vector SearchBox::distances(const Vector& q) const {
  Vector distance = (q - seed_).cwiseAbs();
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    if (kinds_[static_cast<std::size_t>(i)].continuous) {
      distance[i] = std::abs(std::remainder(q[i] - seed_[i], kTurn));
    }
  }
  return distance;
}

double SearchBox::seedDistance(const Vector& q) const {
  return distances(q).sum();
}

double SearchBox::largestMove(const Vector& q) const {
  return q.size() == 0 ? 0.0 : distances(q).maxCoeff();
}

}  // namespace generative_ik

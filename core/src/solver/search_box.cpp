#include <algorithm>
#include <cmath>
#include <generative_ik/search_box.hpp>
#include <stdexcept>
#include <string>
#include <utility>

#include "../simd/constants.hpp"
#include "seed_state.hpp"

namespace generative_ik {
namespace {

constexpr double kRounding = 1e-9;

const Vector& checked(const Vector& q, const Vector& seed) {
  if (q.size() != seed.size()) {
    throw std::invalid_argument("a configuration of " + std::to_string(q.size()) +
                                " entries for " + std::to_string(seed.size()) + " variables");
  }
  return q;
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
  checkSeedState(seed_, consistency_limits, variables.size());
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
      if (lower_[i] > upper_[i] && lower_[i] <= upper_[i] + kRounding) {
        // A joint that is held at a limit, and measured beyond it by rounding, is at the limit.
        lower_[i] = upper_[i] = std::min(std::max(seed_[i], variable.lower), variable.upper);
      }
    }
  }
}

bool SearchBox::empty() const {
  return (lower_.array() > upper_.array()).any();
}

bool SearchBox::contains(const Vector& q) const {
  return checked(q, seed_).allFinite() && (q.array() >= lower_.array() - kRounding).all() &&
         (q.array() <= upper_.array() + kRounding).all();
}

Vector SearchBox::nearestTurn(const Vector& q) const {
  Vector turned = checked(q, seed_);
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
  // By the same comparisons as what counts as rounding: a difference of 1e-9 is rounded itself.
  return contains(turned) ? clamp(turned) : turned;
}

std::vector<double> SearchBox::otherTurns(Eigen::Index variable, double position,
                                          std::size_t most) const {
  std::vector<double> others;
  const Kind& kind = kinds_[static_cast<std::size_t>(variable)];
  if (!kind.turns || kind.continuous) {
    return others;
  }
  for (double turn = kTurn;; turn += kTurn) {
    const bool below = position - turn >= lower_[variable];
    const bool above = position + turn <= upper_[variable];
    if (others.size() >= most || (!below && !above)) {
      return others;
    }
    if (below) {
      others.push_back(position - turn);
    }
    if (above) {
      others.push_back(position + turn);
    }
  }
}

Vector SearchBox::clamp(const Vector& q) const {
  return checked(q, seed_).cwiseMax(lower_).cwiseMin(upper_);
}

Vector SearchBox::distances(const Vector& q) const {
  Vector distance = (checked(q, seed_) - seed_).cwiseAbs();
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
  return seed_.size() == 0 ? 0.0 : distances(q).maxCoeff();
}

}  // namespace generative_ik

#include "pattern_search.hpp"

#include <algorithm>
#include <cmath>

#include "../simd/constants.hpp"

namespace generative_ik::optimize {
namespace {

// A vertex is tried between these shares of the places of the trials beside it, and if it is this
// share of the radius away.
constexpr double kInside = 0.9;
constexpr double kAway = 0.05;

}  // namespace

PatternSearch::Direction PatternSearch::direction() const {
  if (move_ == kVertex) {
    return Direction::kLast;
  }
  return move_ == kOnward ? Direction::kOnward : Direction::kPolled;
}

double PatternSearch::length() const {
  if (move_ == kVertex) {
    return vertex_;
  }
  return backward() ? -radius_ : radius_;
}

bool PatternSearch::judge(double value, std::int64_t dimension) {
  ++trials_;
  const bool better = value > value_;
  if (better) {
    accept(value);
  } else {
    reject(value, dimension);
  }
  over_ = over_ || radius_ < kOptions.least_radius || trials_ >= kOptions.most_trials;
  return better;
}

void PatternSearch::accept(double value) {
  behind_ = -radius_;
  behind_value_ = value_;
  value_ = value;
  if (move_ == kVertex) {
    poll(kOptions.vertex_shrinkage);
    return;
  }
  if (move_ == kOnward) {
    radius_ = std::min(kOptions.growth * radius_, kOptions.largest_radius);
  }
  move_ = kOnward;
}

void PatternSearch::reject(double value, std::int64_t dimension) {
  if (move_ == kVertex) {
    poll(kOptions.vertex_shrinkage);
    return;
  }
  if (backward()) {
    behind_ = -radius_;
    behind_value_ = value;
  } else {
    ahead_ = radius_;
    ahead_value_ = value;
  }
  if (move_ == kOnward) {
    tryVertex();
    return;
  }
  lowest_ = std::min(lowest_, value);
  ++move_;
  if (move_ < 2 * dimension) {
    return;
  }
  if (dimension == 0 || value_ - lowest_ <= kOptions.negligible * std::abs(value_)) {
    over_ = true;
  } else if (dimension == 1) {
    tryVertex();
  } else {
    poll(kOptions.shrinkage);
  }
}

void PatternSearch::poll(double shrinkage) {
  radius_ *= shrinkage;
  ++rotations_;
  move_ = 0;
  lowest_ = kInfinity;
}

void PatternSearch::tryVertex() {
  const double ahead = (ahead_value_ - value_) / ahead_;
  const double behind = (behind_value_ - value_) / behind_;
  const double curvature = (ahead - behind) / (ahead_ - behind_);
  if (-kInfinity < curvature && curvature < 0.0) {
    vertex_ = std::clamp(0.5 * (ahead_ - ahead / curvature), kInside * behind_, kInside * ahead_);
    if (std::abs(vertex_) > kAway * radius_) {
      move_ = kVertex;
      return;
    }
  }
  poll(kOptions.shrinkage);
}

}  // namespace generative_ik::optimize

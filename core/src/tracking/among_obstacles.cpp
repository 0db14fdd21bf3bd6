// How a tracker moves among obstacles.
#include <algorithm>
#include <cmath>

#include "tracker_state.hpp"

namespace generative_ik::tracking {
namespace {

// What a motion costs that brings the arm nearer to something than allowed, by the square of the
// distance [1/m^2], as a multiple of what an error of the tips costs.
constexpr double kPenalty = 1e4;
// No distance grows by more in a period [m].
constexpr double kFarAway = 1e6;
// Parts of a motion that are tried before the arm brakes.
constexpr double kHalf = 0.5;

}  // namespace

void TrackerState::avoid(const CollisionWorld* world, double clearance) {
  if (world == nullptr) {
    obstacles_.reset();
    return;
  }
  obstacles_.emplace(*world, clearance, settings_.limits);
  among_.forget();
}

// The function has a variable more for each distance: by how much it changes. It costs nothing
// where it is what the motion makes of it, and it has a lower bound.
void TrackerState::iterateAmongObstacles() {
  const std::size_t n = q_.size();
  const std::size_t size = n + Obstacles::kMost;
  const double* scale = model_.tree().scale;
  const double weight = std::max(settings_.weights.position_weight, 1e-3);
  const double penalty = kPenalty * weight * weight;
  task_.linearize();
  double* matrix = among_.matrix();
  std::fill_n(matrix, size * size, 0.0);
  task_.project(rest_.data(), among_gradient_.data());
  std::fill(among_gradient_.begin() + static_cast<std::ptrdiff_t>(n), among_gradient_.end(), 0.0);
  std::fill(among_solution_.begin(), among_solution_.end(), 0.0);
  // Laid out for the variables alone, then spread over the larger matrix.
  task_.writeNormal(dampingOfRest(), correction_.matrix());
  for (std::size_t i = 0; i < n; ++i) {
    std::copy_n(correction_.matrix() + i * n, i + 1, matrix + i * size);
    const double moved = x_[i] - q_[i];
    among_bounds_.lower[i] = std::min((motions_.lower[i] - moved) / scale[i], 0.0);
    among_bounds_.upper[i] = std::max((motions_.upper[i] - moved) / scale[i], 0.0);
  }
  for (std::size_t k = 0; k < Obstacles::kMost; ++k) {
    const std::size_t row = n + k;
    const bool exists = k < obstacles_->count();
    matrix[row * size + row] = exists ? penalty : 1.0;
    among_bounds_.lower[row] = among_bounds_.upper[row] = 0.0;
    if (!exists) {
      continue;
    }
    const double* gradient = obstacles_->gradient(k);
    double changed = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      changed += gradient[i] * (x_[i] - q_[i]);
      matrix[row * size + i] = -penalty * gradient[i] * scale[i];
      for (std::size_t j = 0; j <= i; ++j) {
        matrix[i * size + j] += penalty * gradient[i] * scale[i] * gradient[j] * scale[j];
      }
    }
    among_bounds_.lower[row] = -obstacles_->room(k) - changed;
    among_bounds_.upper[row] = std::max(kFarAway, among_bounds_.lower[row]);
  }
  among_.solve(among_gradient_.data(), among_bounds_.lower.data(), among_bounds_.upper.data(),
               among_solution_.data());
  for (std::size_t k = 0; k < obstacles_->count(); ++k) {
    blocked_ = blocked_ || among_.boundOf(n + k) < 0;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double moved = x_[i] - q_[i] + scale[i] * among_solution_[i];
    x_[i] = q_[i] + std::clamp(moved, motions_.lower[i], motions_.upper[i]);
  }
}

bool TrackerState::mayMove(const std::vector<double>& motion) {
  if (obstacles_->isFreeAfter(q_.data(), motion.data())) {
    return true;
  }
  if (obstacles_->isFree(q_.data())) {
    return false;
  }
  for (std::size_t i = 0; i < q_.size(); ++i) {
    projected_[i] = q_[i] + motion[i];
  }
  return obstacles_->clearanceAt(projected_.data()) > obstacles_->clearanceAt(q_.data());
}

void TrackerState::keepFree() {
  if (mayMove(gap_)) {
    return;
  }
  blocked_ = true;
  // The motions have been bound by the goal.
  settings_.limits.nextMotions(q_.data(), v_.data(), motions_);
  MotionLimits::braking(motions_, pace_.data());
  for (std::size_t i = 0; i < q_.size(); ++i) {
    gap_[i] = pace_[i] + kHalf * (gap_[i] - pace_[i]);
  }
  if (!mayMove(gap_)) {
    gap_ = pace_;
  }
}

}  // namespace generative_ik::tracking

// How fast a tracker goes towards its targets.
#include <algorithm>
#include <cmath>

#include "tracker_state.hpp"

namespace generative_ik::tracking {
namespace {

// What a joint brakes with before the goal, as a share of its limit: the arm's path to the goal is
// known by derivatives only.
constexpr double kBraking = 0.8;
// Periods of full acceleration by which a joint may be faster than what brakes before the goal: by
// less, it would not come to rest on it exactly; by many more, it would pass it.
constexpr double kSlack = 4.0;
// Velocities that take a joint longer to change than this are too far from the straight way to the
// goal [s]: every joint takes its own, until they take twice as long.
constexpr double kAstray = 0.02;
// What the motion of a joint costs that needs all of the room before its limit for braking (T. F.
// Chan, R. V. Dubey, A weighted least-norm solution based scheme for avoiding joint limits, 1995);
// little, beside what errors do.
constexpr double kCostBeforeLimits = 7e-5;
// Changes of the targets' velocity that are followed, as a multiple of the acceleration limits.
constexpr double kFollowed = 2.0;

}  // namespace

void TrackerState::keepPace() {
  const MotionLimits& limits = settings_.limits;
  const std::size_t n = q_.size();
  std::copy_n(approach_.matrix(), n * n, pacing_.matrix());
  for (std::size_t i = 0; i < n; ++i) {
    // The nearer a joint comes to its limit, the more it leaves to others that can do the same.
    const double room = v_[i] < 0.0 ? q_[i] - limits.lower[i] : limits.upper[i] - q_[i];
    const double stop = 0.5 * v_[i] * v_[i] / limits.acceleration[i];
    const double share = stop / std::max({room, stop, 1e-300});
    pacing_.matrix()[i * n + i] += kCostBeforeLimits * share * share;
  }
  pacing_.factorLike(approach_);
  for (std::size_t e = 0; e < rest_.size(); ++e) {
    rest_[e] = error_[e] - last_error_[e];
  }
  task_.project(rest_.data(), gradient_.data());
  pacing_.solveFree(gradient_.data(), solution_.data());
  task_.subtractMotion(solution_.data(), rest_.data());
  refine(pacing_, solution_);
  for (std::size_t i = 0; i < n; ++i) {
    pace_[i] = model_.tree().scale[i] * solution_[i];
  }
}

void TrackerState::followReference() {
  left_ = error_;
  if (has_targets_) {
    keepPace();
  } else {
    std::fill(pace_.begin(), pace_.end(), 0.0);
  }
  followPace(pace_, reference_);
  for (std::size_t i = 0; i < q_.size(); ++i) {
    solution_[i] = settings_.limits.period * reference_[i] / model_.tree().scale[i];
  }
  task_.subtractMotion(solution_.data(), left_.data());
}

void TrackerState::followPace(const std::vector<double>& motion,
                              std::vector<double>& velocity) const {
  const MotionLimits& limits = settings_.limits;
  double change = 1.0;
  for (std::size_t i = 0; i < q_.size(); ++i) {
    const double wanted = std::abs(motion[i] / limits.period - velocity[i]);
    const double most = kFollowed * limits.acceleration[i] * limits.period;
    if (change * wanted > most) {
      change = most / wanted;
    }
  }
  double share = 1.0;
  for (std::size_t i = 0; i < q_.size(); ++i) {
    velocity[i] += change * (motion[i] / limits.period - velocity[i]);
    if (share * std::abs(velocity[i]) > limits.velocity[i]) {
      share = limits.velocity[i] / std::abs(velocity[i]);
    }
  }
  for (double& one : velocity) {
    one *= share;
  }
}

double TrackerState::brakingShare(double most, double gentle) const {
  const MotionLimits& limits = settings_.limits;
  double share = 1.0;
  for (std::size_t i = 0; i < q_.size(); ++i) {
    const double way = std::abs(gap_[i]);
    const double fastest =
        std::min(most * limits.velocity[i],
                 brakingVelocity(way, gentle * limits.acceleration[i], limits.period));
    if (share * way > fastest * limits.period) {
      share = fastest * limits.period / way;
    }
  }
  return share;
}

double TrackerState::straightShare(double most) const {
  const MotionLimits& limits = settings_.limits;
  double along = 0.0;
  double squares = 1e-300;
  double push = most;
  for (std::size_t i = 0; i < q_.size(); ++i) {
    const double unit = limits.push(i);
    const double way = gap_[i] / unit;
    along += way * (v_[i] * limits.period - with_target_[i]) / unit;
    squares += way * way;
    push = std::min(push, 1.0 / std::max(std::abs(way), 1e-300));
  }
  along = std::max(along / squares, 0.0);
  double astray = 0.0;
  for (std::size_t i = 0; i < q_.size(); ++i) {
    const double across = v_[i] * limits.period - with_target_[i] - along * gap_[i];
    astray = std::max(astray, std::abs(across) * limits.period / limits.push(i));
  }
  const double straight = std::min(most, along + push);
  return straight + std::clamp(astray / kAstray - 1.0, 0.0, 1.0) * (most - straight);
}

void TrackerState::boundByGoal() {
  const MotionLimits& limits = settings_.limits;
  for (std::size_t i = 0; i < q_.size(); ++i) {
    const double brake = kBraking * limits.acceleration[i];
    // The way there may lead away from it at first, as derivatives say.
    const double farther = gap_[i] + farther_delta_[i] - delta_[i];
    const double ahead = std::max({gap_[i], farther, 0.0});
    const double behind = std::max({-gap_[i], -farther, 0.0});
    const double up = brakingVelocity(ahead, brake, limits.period);
    const double down = brakingVelocity(behind, brake, limits.period);
    // What is gained in a few periods is undone in as many.
    const double slack = kSlack * limits.push(i);
    const double lower = with_target_[i] - down * limits.period - slack;
    const double upper = with_target_[i] + up * limits.period + slack;
    const double least = motions_.lower[i];
    const double greatest = motions_.upper[i];
    motions_.lower[i] = std::clamp(lower, least, greatest);
    motions_.upper[i] = std::clamp(upper, least, greatest);
  }
}

void TrackerState::regulate() {
  const MotionLimits& limits = settings_.limits;
  for (std::size_t i = 0; i < q_.size(); ++i) {
    const double pace = limits.period * reference_[i];
    gap_[i] = delta_[i] - pace;
    with_target_[i] = pace + null_motion_[i];
  }
  const double share = straightShare(brakingShare(1.0, kBraking));
  boundByGoal();
  // Without the share, the tips would move with the targets; with all of it, to them.
  for (double& error : left_) {
    error *= 1.0 - share;
  }
  for (std::size_t i = 0; i < q_.size(); ++i) {
    const double motion = with_target_[i] + share * gap_[i];
    x_[i] = q_[i] + std::clamp(motion, motions_.lower[i], motions_.upper[i]);
  }
}

void TrackerState::approachGoal() {
  for (std::size_t i = 0; i < q_.size(); ++i) {
    gap_[i] = goal_[i] - q_[i];
    reference_[i] = null_motion_[i] = with_target_[i] = 0.0;
  }
  const double share = straightShare(brakingShare(1.0, kBraking));
  for (std::size_t i = 0; i < q_.size(); ++i) {
    x_[i] = q_[i] + std::clamp(share * gap_[i], motions_.lower[i], motions_.upper[i]);
  }
}

}  // namespace generative_ik::tracking

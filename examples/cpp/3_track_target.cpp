// Follow a moving target at 1 kHz within the limits of all joints, in C++.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <generative_ik/tracker.hpp>

#include "arm.hpp"

using generative_ik::Vector;

int main() {
  const generative_ik::Chain chain = arm();
  Vector start(7);
  start << 0.0, 0.6, 0.0, 1.4, 0.0, 0.9, 0.0;
  generative_ik::TrackerOptions options;
  options.period = 0.001;
  options.velocity_limits = Vector::Constant(7, 1.5);
  options.acceleration_limits = Vector::Constant(7, 10.0);
  generative_ik::Tracker tracker(chain, start, options);

  const Eigen::Isometry3d tip = chain.tipInBase(start);
  double worst_error = 0.0, velocity = 0.0, longest = 0.0;
  for (int k = 0; k < 10000; ++k) {
    const double t = options.period * k, angle = t - std::sin(t);
    Eigen::Isometry3d target = tip;  // on a circle of 0.1 m, from rest
    target.pretranslate(
        Eigen::Vector3d(0.0, 0.1 * std::sin(angle), 0.1 * (1.0 - std::cos(angle))));
    const auto began = std::chrono::steady_clock::now();
    const generative_ik::TrackerStep& step = tracker.step(target);  // command step.positions
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    longest = std::max(longest, took.count());
    worst_error = std::max(worst_error, step.position_error);
    velocity = std::max(velocity, step.velocities.cwiseAbs().maxCoeff());
  }
  while (tracker.brake().velocities.any()) {
  }
  std::printf("at most %.1e m from the target and %.2f rad/s; longest step %.0f us\n", worst_error,
              velocity, 1e6 * longest);
  return worst_error < 1e-4 ? 0 : 1;
}

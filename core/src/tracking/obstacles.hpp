/// What a tracker keeps away from.
///
/// The approach to what is near is slowed down before the clearance is reached (B. Faverjon,
/// P. Tournassoud, A local based approach for path planning of manipulators with a high number of
/// degrees of freedom, ICRA 1987), by the same braking as before the limits of a joint. Whether a
/// step may be taken is decided by a check: braking from there must be free.
#pragma once

#include <generative_ik/collision_world.hpp>
#include <vector>

#include "motion_limits.hpp"

namespace generative_ik::tracking {

class Obstacles {
 public:
  /// Distances that are looked at in a step at most, the least ones.
  static constexpr std::size_t kMost = 12;

  /// Keeps both by reference. Args: clearance: to keep, above 0 [m].
  Obstacles(const CollisionWorld& world, double clearance, const MotionLimits& limits);

  /// Finds what is near enough to matter at a configuration and a velocity.
  void look(const double* q, const double* v);

  [[nodiscard]] std::size_t count() const { return near_.gaps.size(); }
  /// How a distance changes with the variables (n).
  [[nodiscard]] const double* gradient(std::size_t k) const {
    return near_.gradients.data() + k * limits_.lower.size();
  }
  /// How much a distance may shrink in the next period [m]; below 0, how much it shall grow.
  [[nodiscard]] double room(std::size_t k) const { return rooms_[k]; }

  /// Whether a motion (n) from a configuration that is free, and braking after it, are free of
  /// collisions.
  bool isFreeAfter(const double* q, const double* motion);
  /// Whether a configuration is free of collisions.
  bool isFree(const double* q);
  /// A lower bound of the distance from the nearest thing [m].
  double clearanceAt(const double* q);

 private:
  // Moves `position_` on by `motion_`, checking as often as needed. Returns whether that is free.
  bool advance();
  // Checks `position_` at the greatest distance at which it and those before were free; less, if
  // it is not.
  bool checkHere();
  // How far points may move from one check to the next [m].
  [[nodiscard]] double reachOfChecks() const;

  const CollisionWorld& world_;
  const MotionLimits& limits_;
  double clearance_;
  std::vector<double> reaches_;  ///< (n) how far variables move points at most.
  std::vector<double> rooms_;
  NearDistances near_;
  Nearest nearest_;
  CollisionMemory memory_;
  std::vector<double> position_, motion_;
  double since_ = 0.0;  ///< How far points have moved since the last check at most [m].
  int checks_ = 0;
  std::size_t level_ = 0;  ///< Of the distances at which configurations are checked.
};

}  // namespace generative_ik::tracking

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
  // Of a motion and of braking after it, times are in periods from its beginning.
  // What braking takes from the motion of a joint in a period.
  [[nodiscard]] double changeOf(std::size_t joint) const;
  // How far a joint has moved at a time [rad or m].
  [[nodiscard]] double travelTo(std::size_t joint, double time) const;
  // How far points have moved at most [m].
  [[nodiscard]] double wayTo(double time) const;
  // Checks as often as needed from the last check to a time. Returns whether that is free.
  bool checkBefore(double end);
  // Checks where the joints are at a time, at the greatest distance at which that and those before
  // were free; less, if it is not.
  bool checkAt(double time);

  const CollisionWorld& world_;
  const MotionLimits& limits_;
  double clearance_;
  std::vector<double> reaches_;  ///< (n) how far variables move points at most.
  std::vector<double> rooms_;
  NearDistances near_;
  Nearest nearest_;
  CollisionMemory memory_;
  std::vector<double> start_, motion_, position_;
  double time_ = 0.0;      ///< Of the last check.
  double way_ = 0.0;       ///< How far points had moved there at most [m].
  double least_ = 0.0;     ///< Distance at which configurations are checked at least [m].
  std::size_t level_ = 0;  ///< Of greater ones.
};

}  // namespace generative_ik::tracking

/// Which velocities a joint may have next, so that it can always go on within its limits.
///
/// A joint at q with velocity v is moved on by q' = q + T v' once a period T, where |v'| <= V and
/// |v' - v| <= a T. A state is viable if braking with a from there ends before a limit; from a
/// viable state there is always a velocity that leads to another one (A. Del Prete, Joint position
/// and velocity bounds in discrete-time acceleration/torque control of robot manipulators, IEEE
/// RA-L 3(1), 2018; here the velocity, not the acceleration, is constant in a period).
#pragma once

#include <vector>

namespace generative_ik::tracking {

/// The greatest velocity to take in a period from which a joint stops within a distance, the way
/// of that period included [rad/s or m/s].
///
/// Velocities fall by `deceleration` times `period` a period, until the rest of one is less than
/// that. Args: distance: not below 0, may be infinite [rad or m].
double brakingVelocity(double distance, double deceleration, double period);

/// Bounds of how far something moves in a period (n) [rad or m].
struct Bounds {
  std::vector<double> lower;
  std::vector<double> upper;
};

/// The limits of all joints, and the period.
struct MotionLimits {
  double period;                     ///< [s]
  std::vector<double> lower;         ///< (n) [rad or m], may be infinite.
  std::vector<double> upper;         ///< (n)
  std::vector<double> velocity;      ///< (n) [rad/s or m/s]
  std::vector<double> acceleration;  ///< (n) [rad/s^2 or m/s^2]

  /// The change of position that full acceleration makes of a velocity in one period.
  [[nodiscard]] double push(std::size_t joint) const {
    return acceleration[joint] * period * period;
  }

  /// What braking takes from a velocity in one period.
  [[nodiscard]] double brakingChange(std::size_t joint) const;

  /// Writes how far each joint may move in the next period. The bounds are never empty where q and
  /// v are what such a motion has led to, or a joint stands. A joint beyond a limit moves no
  /// further.
  void nextMotions(const double* q, const double* v, Bounds& motions) const;

  /// Writes what brings all joints to rest soonest; where the bounds do not have 0, what is
  /// nearest to it.
  static void braking(const Bounds& motions, double* motion);
};

}  // namespace generative_ik::tracking

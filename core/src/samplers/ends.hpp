/// What the first and the last joint of a chain do to the pose of its tip.
///
/// The first joint moves the whole arm along or about its axis, the last one turns the tip about
/// its own, whatever the joints between do: neither has to be searched for.
#pragma once

#include <cstdint>

namespace generative_ik::samplers {

/// How an outer joint moves alone; it is fixed where it mimics or drives others.
enum class EndKind : std::int64_t { kFixed = 0, kRevolute = 1, kPrismatic = 2 };

/// The outer joints of a canonical chain: the first about or along the z axis of the first frame,
/// the last about that of the last frame.
struct Ends {
  EndKind first;
  std::int64_t first_variable;
  double first_sign;  ///< +1 or -1, its direction.
  EndKind last;       ///< Revolute or fixed.
  std::int64_t last_variable;
  double last_sign;

  /// Coordinates left of a pose: 6 less one for each end that moves.
  [[nodiscard]] int numCoordinates() const {
    return 6 - (first != EndKind::kFixed ? 1 : 0) - (last != EndKind::kFixed ? 1 : 0);
  }
};

/// Most coordinates of a pose.
inline constexpr int kMostCoordinates = 6;

/// Numbers of a pose without its last row: (3, 4).
inline constexpr int kTurnedNumbers = 12;

/// Reduces a pose (4, 4) of the last joint's frame in the first's to what the joints between the
/// ends have to reach.
///
/// Rotations are given as z-y-z Euler angles, of which the first joint changes the first alone and
/// the last joint the last alone. Writes the pose without the azimuth that the first joint can
/// remove (3, 4), and the coordinates that are left: position, cosine of the inclination of the
/// last axis, its azimuth, spin. Returns the azimuth that was removed [rad].
double reducePose(const Ends& ends, const double* pose, double* turned, double* coordinates);

/// The rotation about the last axis that takes one pose closest to another [rad]; both are (3, 4),
/// without their azimuths.
double spinBetween(const double* turned, const double* target);

}  // namespace generative_ik::samplers

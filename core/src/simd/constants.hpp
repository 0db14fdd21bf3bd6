/// Numbers that every room needs.
#pragma once

namespace generative_ik {

/// Half a turn [rad].
inline constexpr double kPi = 3.141592653589793;

/// The same in single precision.
inline constexpr float kHalfTurn = 3.14159265F;

/// A full turn [rad].
inline constexpr double kTurn = 2.0 * kPi;

inline constexpr double kInfinity = __builtin_huge_val();

}  // namespace generative_ik

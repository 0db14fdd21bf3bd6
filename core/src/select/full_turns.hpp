/// Full turns: values of a joint that differ by 2 pi are the same place on its circle.
#pragma once

#include <cstdint>
#include <vector>

#include "turn.hpp"

namespace generative_ik {

/// Configurations, and the joints that have room for several turns.
struct TurningRows {
  const double* positions = nullptr;  ///< (count, size) each at its turn nearest to the reference.
  std::int64_t count = 0;
  std::int64_t size = 0;                 ///< Joints.
  const double* reference = nullptr;     ///< (size) configuration.
  const double* lower = nullptr;         ///< (size) limits [rad or m].
  const double* upper = nullptr;         ///< (size) likewise.
  const std::int64_t* turned = nullptr;  ///< Which joints have room for turns.
  std::int64_t num_turned = 0;
  const double* weights = nullptr;  ///< (size) what a rad or m counts in distances; null: 1.
};

/// Most combinations of turns that are tried.
inline constexpr double kMostCombined = 200'000.0;

/// How many combinations of turns all rows have, themselves included.
double countTurns(const TurningRows& rows);

/// Leaves out joints, from the last on, until there are few enough combinations; returns how many
/// there are then.
double limitTurns(TurningRows& rows);

/// The configurations (at most `count`) that are full turns away from rows, nearest to the
/// reference first, one after the other.
///
/// Joints with a range of more than a turn reach the same point of the circle several times.
std::vector<double> otherTurns(const TurningRows& rows, std::int64_t count);

/// The same, but for the turns of the last joints if there are too many combinations.
std::vector<double> limitedTurns(TurningRows rows, std::int64_t count);

/// The indices of the `count` least of some distances, in their order; the first of equal ones
/// comes first.
std::vector<std::int64_t> leastOf(const std::vector<double>& distances, std::int64_t count);

}  // namespace generative_ik

/// The solutions of a target in the order that a call asks for, full turns among them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "verified_rows.hpp"

namespace generative_ik::answers {

/// What solutions are put in order by. All arrays have a number for each joint.
struct OrderBounds {
  std::int64_t size;          ///< Joints.
  const double* lower;        ///< Bounds of solutions, finite [rad or m].
  const double* upper;        ///< Likewise.
  const double* wide_lower;   ///< The same, further apart by what turns on them may be outside.
  const double* wide_upper;   ///< Likewise.
  const double* reference;    ///< From which turns are counted.
  const double* lower_limit;  ///< Of the joint; infinite if it is continuous.
  const double* upper_limit;  ///< Likewise.
  const bool* periodic;       ///< Whether a full turn of the joint changes nothing.
  const double* unit;         ///< Travel of a prismatic joint that counts as much as 1 rad [m].
  const double* weights;      ///< What a rad or m counts in the distance from the reference.
  const std::vector<std::int64_t>& turned;  ///< Joints that have room for several turns.
};

/// What is asked for.
struct OrderWanted {
  bool nearest;        ///< Whether the nearest to the reference come first, or the most diverse.
  std::int64_t count;  ///< Solutions.
};

/// What was written.
struct Order {
  std::int64_t written;
  double total;  ///< How many there may be.
  bool every;    ///< Whether these are all.
};

/// Moves rows within the tolerances to the front, and measures them; returns how many.
using KeepVerified = std::function<std::int64_t(std::int64_t count, const SolutionRows& rows)>;

/// The square of the weighted distance of a configuration from the reference.
double squaredDistance(const OrderBounds& bounds, const double* q);

/// The same of the nearest of its full turns, those that are just outside the bounds included.
double leastSquaredDistance(const OrderBounds& bounds, const double* q);

/// Writes solutions in order, which are distinct, each at its turn nearest to the reference, and
/// where the nearest come first, in that order already.
Order putInOrder(const OrderBounds& bounds, const OrderWanted& wanted, const SolutionRows& found,
                 std::int64_t count, const KeepVerified& keep, std::vector<float>& memory,
                 const SolutionRows& out);

}  // namespace generative_ik::answers

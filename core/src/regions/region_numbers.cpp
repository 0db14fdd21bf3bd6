#include "region_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../simd/constants.hpp"

namespace generative_ik::regions {
namespace {

// Angles with so little less room than a full turn are free [rad]: bounds are rounded.
constexpr double kAngleRounding = 1e-9;

struct DrawnIn {
  Eigen::Vector3d lower;
  Eigen::Vector3d upper;
};

// So much of the tolerance is left that rounding does not decide about corners.
constexpr double kCornerRounding = 1e-6;

// How far bounds are drawn in where several end: a corner is then within the tolerance of where
// it is drawn to, else what has nothing but the corner would be out of reach.
double inwardsOf(const Eigen::Vector3d& lower, const Eigen::Vector3d& upper, bool angles,
                 double tolerance) {
  std::array<bool, 3> ends{};
  for (Eigen::Index k = 0; k < 3; ++k) {
    const double free = angles ? kFreeAngle : std::numeric_limits<double>::infinity();
    ends.at(static_cast<std::size_t>(k)) =
        upper[k] > lower[k] && (lower[k] > -free || upper[k] < free);
  }
  const auto count = static_cast<double>(std::count(ends.begin(), ends.end(), true));
  if (count < 2.0) {
    return tolerance;
  }
  // The axes of roll and yaw may be parallel: their lengths add up, not their squares.
  const double squares = angles && ends[0] && ends[2] ? count + 2.0 : count;
  return (1.0 - kCornerRounding) * tolerance / std::sqrt(squares);
}

// Bounds that are closer to each other on both sides, or meet in their middle.
DrawnIn drawnIn(const Eigen::Vector3d& lower, const Eigen::Vector3d& upper, double inwards) {
  DrawnIn bounds = {lower, upper};
  for (Eigen::Index k = 0; k < 3; ++k) {
    const double by = std::min(inwards, 0.5 * (upper[k] - lower[k]));
    if (std::isfinite(by)) {
      bounds.lower[k] += by;
      bounds.upper[k] -= by;
    }
  }
  return bounds;
}

// Writes three numbers of a row.
void write(const Eigen::Vector3d& numbers, double* to) {
  std::copy_n(numbers.data(), 3, to);
}

// How many coordinates a tip's region holds within tolerances.
std::int64_t heldBy(const TaskSpaceRegion& region, const Tolerance& tolerance) {
  const auto [position, rotation] = region.heldCoordinates();
  return (std::isinf(tolerance.position) ? 0 : position) +
         (std::isinf(tolerance.orientation) ? 0 : rotation);
}

bool hasRoom(const TaskSpaceRegion& region) {
  const auto [position, rotation] = region.heldCoordinates();
  return position + rotation < 6 && !region.isFree();
}

}  // namespace

AngleBounds AngleBounds::of(const TaskSpaceRegion& region) {
  AngleBounds bounds = {region.lower().tail<3>(), region.upper().tail<3>()};
  for (Eigen::Index k = 0; k < 3; ++k) {
    // Negated so that infinite bounds are free, too.
    if (!(bounds.upper[k] - bounds.lower[k] < kTurn - kAngleRounding)) {
      bounds.lower[k] = -kFreeAngle;
      bounds.upper[k] = kFreeAngle;
    }
  }
  return bounds;
}

BoundedRotation BoundedRotation::of(const TaskSpaceRegion& region) {
  if (const auto& cone = region.boundingCone()) {
    if (cone->half_angle == kPi) {
      return {RotationKind::kFree, 0, 0.0};
    }
    return {RotationKind::kCone, static_cast<int>(cone->axis), cone->half_angle};
  }
  const auto [lower, upper] = AngleBounds::of(region);
  std::array<bool, 3> free{};
  int num_free = 0;
  int num_zero = 0;
  int axis = 0;
  for (int k = 0; k < 3; ++k) {
    free.at(static_cast<std::size_t>(k)) = upper[k] == kFreeAngle;
    num_zero += lower[k] == 0.0 && upper[k] == 0.0 ? 1 : 0;
    if (upper[k] == kFreeAngle) {
      ++num_free;
      axis = k;
    }
  }
  // Two triples of angles are one rotation, so pitch is as good as free from -90 to 90 degrees.
  const bool any_pitch = free[1] || (lower[1] <= -kPi / 2.0 && upper[1] >= kPi / 2.0);
  if (free[0] && any_pitch && free[2]) {
    return {RotationKind::kFree, 0, 0.0};
  }
  if (num_zero == 3) {
    return {RotationKind::kExact, 0, 0.0};
  }
  if (num_free == 1 && num_zero == 2) {
    return {RotationKind::kCone, axis, 0.0};
  }
  return {RotationKind::kAngles, 0, 0.0};
}

std::array<double, RegionRow::kSize> solverNumbers(const TaskSpaceRegion& region,
                                                   const Tolerance& tolerance) {
  std::array<double, RegionRow::kSize> numbers{};
  double* row = numbers.data();
  const Eigen::Vector3d lower = region.lower().head<3>();
  const Eigen::Vector3d upper = region.upper().head<3>();
  const DrawnIn place = drawnIn(lower, upper, inwardsOf(lower, upper, false, tolerance.position));
  write(place.lower, row + RegionRow::kLower);
  write(place.upper, row + RegionRow::kUpper);
  const auto [kind, axis, half_angle] = BoundedRotation::of(region);
  row[RegionRow::kKind] = static_cast<double>(kind);
  row[RegionRow::kAxis + axis] = 1.0;
  const double drawn = std::max(half_angle - tolerance.orientation, 0.5 * half_angle);
  row[RegionRow::kHalf] = std::cos(0.5 * drawn);
  row[RegionRow::kHalf + 1] = std::sin(0.5 * drawn);
  const AngleBounds angles = AngleBounds::of(region);
  const DrawnIn turns =
      drawnIn(angles.lower, angles.upper,
              inwardsOf(angles.lower, angles.upper, true, tolerance.orientation));
  write(turns.lower, row + RegionRow::kAngles);
  write(turns.upper, row + RegionRow::kAngles + 3);
  return numbers;
}

std::array<double, verify::Region::kSize> checkNumbers(const TaskSpaceRegion& region) {
  std::array<double, verify::Region::kSize> numbers{};
  double* row = numbers.data();
  AngleBounds angles = AngleBounds::of(region);
  const BoundedRotation rotation = BoundedRotation::of(region);
  if (rotation.kind == RotationKind::kFree) {
    angles.lower.setConstant(-kFreeAngle);
    angles.upper.setConstant(kFreeAngle);
  }
  write(region.lower().head<3>(), row);
  write(angles.lower, row + 3);
  write(region.upper().head<3>(), row + 6);
  write(angles.upper, row + 9);
  // A cone of all directions bounds nothing.
  const bool cone = region.boundingCone() && rotation.kind == RotationKind::kCone;
  row[12] = cone ? rotation.axis : -1.0;
  row[13] = cone ? rotation.half_angle : 0.0;
  return numbers;
}

std::int64_t boundedBits(const TaskSpaceRegion& region) {
  if (region.isExact()) {
    return 0;
  }
  std::int64_t bits = kBoundedRegion;
  switch (BoundedRotation::of(region).kind) {
    case RotationKind::kExact:
      break;
    case RotationKind::kFree:
      bits |= kBoundedTurns;
      break;
    case RotationKind::kCone:
      bits |= kBoundedCone | kBoundedTurns;
      break;
    case RotationKind::kAngles:
      bits |= kBoundedAngles | kBoundedTurns;
      break;
  }
  const bool moves = (region.lower().array().head<3>() != 0.0).any() ||
                     (region.upper().array().head<3>() != 0.0).any();
  return moves ? bits | kBoundedRoom : bits;
}

PackedRegions::PackedRegions(std::span<const TaskSpaceRegion> tips, std::size_t num_tips,
                             std::span<const TaskSpaceRegion> closures, const Tolerance& tolerance)
    : bounded(num_tips + closures.size()),
      held(std::numeric_limits<std::int64_t>::max()),
      roomy(false) {
  const auto append = [&](const TaskSpaceRegion& region, std::size_t goal) {
    const auto for_solver = solverNumbers(region, tolerance);
    const auto for_check = checkNumbers(region);
    solver.insert(solver.end(), for_solver.begin(), for_solver.end());
    checks.insert(checks.end(), for_check.begin(), for_check.end());
    bounded[goal] |= boundedBits(region);
  };
  for (std::size_t first = 0; first < tips.size(); first += num_tips) {
    std::int64_t held_by_all = 0;
    for (std::size_t k = 0; k < num_tips; ++k) {
      const TaskSpaceRegion& region = tips[first + k];
      append(region, k);
      held_by_all += heldBy(region, tolerance);
      roomy = roomy || hasRoom(region);
    }
    held = std::min(held, held_by_all);
    for (std::size_t k = 0; k < closures.size(); ++k) {
      append(closures[k], num_tips + k);
    }
  }
}

}  // namespace generative_ik::regions

/// Task space regions as numbers, for the local solver and for the verification.
#pragma once

#include <array>
#include <cstdint>
#include <generative_ik/pose_error.hpp>
#include <generative_ik/task_space_region.hpp>
#include <optional>
#include <span>
#include <vector>

#include "../local_solver/goals/goal_tree.hpp"
#include "../verify/region.hpp"
#include "pose_sequence.hpp"

namespace generative_ik::regions {

/// Bound of an angle that is free: none is further from 0 than pi.
inline constexpr double kFreeAngle = 4.0;

/// Bounds of roll, pitch and yaw; those of a free angle are beyond all angles.
struct AngleBounds {
  Eigen::Vector3d lower;
  Eigen::Vector3d upper;

  static AngleBounds of(const TaskSpaceRegion& region);
};

/// How a region bounds rotations; of a cone also its axis and half angle [rad].
struct BoundedRotation {
  RotationKind kind;
  int axis;
  double half_angle;

  /// One that is turned about a single axis of the target is a cone without width.
  static BoundedRotation of(const TaskSpaceRegion& region);
};

/// A region for the local solver, see `RegionRow`. Bounds that leave room are drawn in by the
/// tolerances, so that what converges to them is inside.
std::array<double, RegionRow::kSize> solverNumbers(const TaskSpaceRegion& region,
                                                   const Tolerance& tolerance);

/// A region for the verification, see `verify::Region`. Bounds of angles stay what they are, also
/// where the local solver takes them for a cone.
std::array<double, verify::Region::kSize> checkNumbers(const TaskSpaceRegion& region);

/// The bits of `Bounded` of a region; 0 for the exact pose.
std::int64_t boundedBits(const TaskSpaceRegion& region);

/// Regions of G goals: the same for all targets (R = 1), or of each.
struct PackedRegions {
  std::vector<double> solver;         ///< (R, G, 18)
  std::vector<double> checks;         ///< (R, G, 14)
  std::vector<std::int64_t> bounded;  ///< (G) bits of each goal, whatever the target.
  /// The fewest coordinates of all tips together that have one value only; closures not counted.
  std::int64_t held;
  /// Whether some tip has room within bounds, rather than all or none.
  bool roomy;

  /// Packs regions (R, tips) of tips, row by row, each row of them before those of closures. An
  /// infinite tolerance leaves positions or rotations free. R is above 0.
  PackedRegions(std::span<const TaskSpaceRegion> tips, std::size_t num_tips,
                std::span<const TaskSpaceRegion> closures, const Tolerance& tolerance);

  /// R
  [[nodiscard]] std::int64_t count() const {
    return std::ssize(checks) / (std::ssize(bounded) * verify::Region::kSize);
  }
};

/// The one coordinate of a region that has room.
struct FreeCoordinate {
  int axis;      ///< Of the target, about or along which the tip may move.
  bool slides;   ///< Whether it moves along it.
  double lower;  ///< [rad or m]
  double upper;  ///< [rad or m]; a turn above where an angle has no bounds.

  /// None if something else has room, too, or is not the target's. Bounds are drawn in by the
  /// tolerance, so that what has no larger error is inside.
  static std::optional<FreeCoordinate> of(const TaskSpaceRegion& region,
                                          const Tolerance& tolerance);
};

/// Poses all over a region with room somewhere; none if its angles are too tangled to draw them in
/// by the tolerances.
///
/// Args: reach: no tip is further from the base along any axis [m]. own: whether the caller has a
/// coordinate of its own, which comes last.
std::optional<PoseSequence> sequenceOf(const TaskSpaceRegion& region, const Tolerance& tolerance,
                                       double reach, bool own);

}  // namespace generative_ik::regions

/// Poses all over a task space region, from a quasi-random sequence.
///
/// Pose k of a region is the same in all calls. What has only one value takes no dimension of the
/// sequence, so that few poses lie evenly along what is free.
#pragma once

#include <cstdint>

#include "../simd/vector3.hpp"

namespace generative_ik::regions {

/// How a region bounds the tip's rotation.
enum class RotationKind : std::uint8_t { kExact, kFree, kCone, kAngles };

/// A region, drawn in by the tolerances, and the sequence that its poses are taken from. Plain
/// numbers: the code of all sets of instructions reads them.
struct PoseSequence {
  /// Coordinates of a pose, and one that is the caller's.
  static constexpr int kCoordinates = 7;
  static constexpr int kOwnCoordinate = 6;

  RotationKind rotation;
  int cone_axis;  ///< 0, 1 or 2.
  double cosine;  ///< Of the cone's half angle.
  double reach;   ///< No tip is further from the base along any axis [m].
  // NOLINTBEGIN(*-avoid-c-arrays)
  double lower[6];  ///< Bounds of x, y, z [m], roll, pitch and yaw [rad] in the target's frame.
  double upper[6];  ///< Likewise.
  double shift[kCoordinates];  ///< Of the additive recurrence; 0 where nothing is free.
  double ratio[kCoordinates];  ///< Likewise.
  // NOLINTEND(*-avoid-c-arrays)

  /// That of a region which is the target alone: only the caller's own coordinate is free.
  static PoseSequence ofPose();
};

/// A region about a target, cut off where no tip reaches.
struct RegionAbout {
  const PoseSequence* sequence;
  simd::Rotation rotation;       // of the target in the base
  simd::Vector3<double> origin;  // of the target in the base [m]
  double lower[3];               // NOLINT(*-avoid-c-arrays): bounds of x, y and z [m]
  double upper[3];               // NOLINT(*-avoid-c-arrays)
  bool within_reach;             // whether any of it is left

  /// The region about a target (4, 4).
  static RegionAbout of(const PoseSequence& sequence, const double* target);
};

}  // namespace generative_ik::regions

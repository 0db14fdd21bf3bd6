/// A kinematic tree with its goals, and the regions about their targets, as plain numbers.
#pragma once

#include <cstdint>

#include "../options.hpp"

namespace generative_ik {

/// A tree whose joints turn about or slide along their z axes, and its goals.
///
/// A goal is a tip, or a link that is held relative to another one: its target is a pose of the
/// tip in a reference. A frame is kept in a slot where other joints begin from it, or where it
/// carries a tip or a reference. Poses are seven numbers: x y z [m], unit quaternion x y z w.
struct GoalTree {
  /// Slots that are none: the base, the moved frame of the joint before, a reference that is the
  /// base itself.
  static constexpr std::int64_t kBase = -1;
  static constexpr std::int64_t kBefore = -2;
  static constexpr std::int64_t kIdentity = -2;

  std::int64_t num_joints;
  std::int64_t num_variables;
  std::int64_t num_goals;
  std::int64_t num_slots;
  std::int64_t num_columns;  ///< of the Jacobians of all goals together

  const double* origins;          ///< (joints, 7) joint frame in the frame it begins from
  const std::int64_t* prismatic;  ///< (joints)
  const std::int64_t* variable;   ///< (joints) that drives the joint
  const double* multiplier;       ///< (joints) joint position per variable
  const double* offset;           ///< (joints) joint position where the variable is 0
  const std::int64_t* begin;      ///< (joints) slot of the frame it begins from, kBase or kBefore
  const std::int64_t* slot;       ///< (joints) where its moved frame is kept, or below 0
  const double* scale;            ///< (variables) comparable steps [rad or m]

  const std::int64_t* tip_slot;        ///< (goals) of the frame that carries the tip, or kBase
  const double* tip;                   ///< (goals, 7) in that frame
  const std::int64_t* reference_slot;  ///< (goals) likewise of the reference, or kIdentity
  const double* reference;             ///< (goals, 7)

  /// (path, 3) joints that move tips against their references, goal by goal: the joint, 1 if it
  /// moves the tip or -1 if it moves the reference, and the variable's column.
  const std::int64_t* path;
  const std::int64_t* path_end;  ///< (goals) where each goal's joints end in `path`
  const std::int64_t* column;    ///< (goals, variables) column of a goal and a variable, or -1
  const std::int64_t* coupled;   ///< (goals, goals) whether the normal equations are, with fill-in
  const std::int64_t* bounded;   ///< (goals) bits of `Bounded`: what their regions bound
};

/// Counts slots and columns of a tree whose paths have so many parts. Returns whether all of its
/// indices are in range.
bool countParts(GoalTree& tree, std::int64_t path_size);

/// What the region of a goal bounds; 0 for an exact pose.
enum Bounded : std::int64_t {
  kBoundedRegion = 1,
  kBoundedCone = 2,
  kBoundedAngles = 4,
  kBoundedRoom = 8,    ///< Its position has room, or is not the target's
  kBoundedTurns = 16,  ///< Likewise its rotation.
};

/// A region for the local solver: eighteen numbers. Bounds are drawn in by the tolerances.
struct RegionRow {
  static constexpr int kSize = 18;
  static constexpr int kLower = 0;  ///< (3) of the position, in the target's frame [m]
  static constexpr int kUpper = 3;  ///< (3)
  static constexpr int kKind = 6;   ///< 0 exact rotation, 1 any, 2 within a cone, 3 within angles
  static constexpr int kAxis = 7;   ///< (3) axis of the cone
  static constexpr int kHalf = 10;  ///< cosine and sine of half of the cone's half angle
  static constexpr int kAngles = 12;  ///< (6) lower, then upper bounds of roll, pitch, yaw [rad]
};

/// What an iteration towards several goals reads and writes.
struct GoalRows {
  static constexpr int kTargetSize = 7 + RegionRow::kSize;

  SeedRows seeds;
  LaneRow* target;      ///< (7 + 18) for each goal: its target and the region about it.
  LaneRow* axes;        ///< (6) for each joint: its axis and origin.
  LaneRow* slots;       ///< (7) for each slot: a moved frame.
  LaneRow* tip;         ///< (3) for each goal: where its tip is.
  LaneRow* gap;         ///< (6) for each goal: its errors, in the directions below.
  LaneRow* directions;  ///< (18) for each goal: three directions in which its position is
                        ///< constrained, three about which its rotation is; 0 where it is free.
  LaneRow* jacobian;    ///< (6) for each column.
  LaneRow* normal;      ///< (36) for each two goals: a block of the normal equations' matrix.
  LaneRow* factor;      ///< (36) likewise of its factor.
  LaneRow* solution;    ///< (6) for each goal.
  LaneRow* error;       ///< Weighted squared error of all goals.
};

}  // namespace generative_ik

/// A world as kernels read it: numbers and pointers to them.
#pragma once

#include <generative_ik/collision_world.hpp>

#include "../simd/instruction_sets.hpp"
#include "sphere_tree.hpp"

namespace generative_ik::collision {

/// A frame that a joint moves. Its rotation is linear in sine and versine of the joint's angle
/// (Rodrigues' formula).
struct MovingFrame {
  Rotation at_zero;
  Rotation sine_part;
  Rotation versine_part;
  Point shift;  ///< In its parent [m].
  Point axis;   ///< Likewise.
  double multiplier;
  double offset;
  std::int64_t parent;
  std::int64_t variable;
  bool prismatic;
};

/// A link or an obstacle that is no primitive, in its frame.
struct Body {
  std::int64_t frame;
  SphereTree cover;  ///< Clear of these spheres, surely free.
  SphereTree inner;  ///< Touching these, colliding. Without groups nothing is known.
  bool exact;        ///< Whether the body is the spheres of its cover, neither more nor less.
  const double* extremes;
  std::int64_t num_extremes;
};

/// Bodies that are checked against each other.
struct BodyPair {
  std::int64_t one;
  std::int64_t other;
  double margin;  ///< Distance to keep [m].
};

struct WorldView {
  const MovingFrame* frames;
  std::int64_t num_frames;
  const Body* bodies;
  std::int64_t num_bodies;
  std::int64_t num_moving;
  const BodyPair* pairs;
  std::int64_t num_pairs;
  const double* primitives;  ///< (G, 17, 8)
  const PrimitiveKind* kinds;
  const double* corners;     ///< (8 G, 8, 3)
  const double* group_rows;  ///< Spheres around eight groups of primitives each, as siblings.
  std::int64_t num_blocks;   ///< Of eight groups.
  std::int64_t num_lanes;    ///< Of all groups.
  const bool* allowed;       ///< (moving, lanes) which may touch; null: none may.
  double margin;

  [[nodiscard]] GENERATIVE_IK_INLINE const double* group(std::int64_t g) const {
    return primitives + kPrimitiveRows * kSiblings * g;
  }
  [[nodiscard]] GENERATIVE_IK_INLINE bool isAllowed(std::int64_t body,
                                                    std::int64_t primitive) const {
    return allowed != nullptr && allowed[body * num_lanes + primitive];
  }
};

/// Memory for one configuration.
struct Workspace {
  RigidPose* frames;  ///< Frame 0 and those that move, in frame 0.
  double* sines;      ///< Two rows, as long as there are frames, in eights.
  Sphere* spheres;    ///< Around the bodies, in frame 0.
};

/// The convex pieces of a world's shapes; see convex_distance.hpp and shape_distance.hpp.
struct ShapesView {
  const WorldView* world;
  const double* pieces;
  const std::int64_t* places;
};

/// Where pairs that are not clear are written. Without room, the first collision ends the check.
struct Contacts {
  Contact* written;
  std::int64_t room;
  std::int64_t count;  ///< May be more than there is room for.
};

struct Approaches;

/// What is compiled for a set of instructions.
struct Kernels {
  /// What is this far from everything, `sure`, is free [m].
  Verdict (*check)(const WorldView&, const double* q, double sure, Workspace, Contacts&);
  double (*clearance)(const WorldView&, const double* q, Workspace, Nearest&);
  double (*distance)(const ShapesView&, const double* q, Workspace, Nearest&);
  double (*contact_distance)(const ShapesView&, const Contact&, double best, Workspace);
  void (*approaches)(const WorldView&, const double* q, double within, Workspace, Approaches&);
};

Kernels kernels(simd::Baseline);
Kernels kernels(simd::Avx2);
Kernels kernels(simd::Avx512);

}  // namespace generative_ik::collision

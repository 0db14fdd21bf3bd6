/// Bodies from shapes: trees of spheres around them, balls inside, points on their surfaces.
///
/// What is clear of the spheres around is surely free, what touches those inside surely collides.
#pragma once

#include <generative_ik/shapes.hpp>
#include <vector>

#include "../../parallel/checkpoint.hpp"
#include "ball_tree.hpp"

namespace generative_ik::collision::building {

/// To be raised when bodies come out differently: files of them are not taken for the same.
inline constexpr int kBodyRevision = 1;
/// Points of a body that are far from each other.
inline constexpr std::size_t kExtremes = 16;

/// A rigid body in its own frame.
struct BuiltBody {
  PackedTree cover;             ///< spheres that contain it
  PackedTree inner;             ///< spheres inside it, of radius 0 on its surface; may be empty
  bool exact;                   ///< whether it is the leaves of both, neither more nor less
  std::vector<Point> extremes;  ///< points of it that are far from each other [m]
};

/// Builds the body that shapes of one rigid thing make together. Throws std::invalid_argument if
/// there are none, or one is unsound (`checkShape`).
BuiltBody bodyOf(const std::vector<Shape>& shapes);

/// The same of several things, by as many threads as there are cores. Bodies that are not begun
/// when to stop are empty.
std::vector<BuiltBody> bodiesOf(const std::vector<std::vector<Shape>>& things,
                                const parallel::StopWhen& stop);

}  // namespace generative_ik::collision::building

/// A robot among obstacles: checks of configurations and motions, and clearances.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace generative_ik {

/// What spheres say of a configuration; the worse, the greater.
enum class Verdict : std::int64_t {
  kFree = 0,       ///< Spheres that contain the links are clear of everything.
  kUndecided = 1,  ///< They are not, but nothing is known to touch.
  kInside = 2,     ///< Spheres inside two parts touch, but one may be wholly inside the other.
  kColliding = 3,  ///< Spheres inside two parts touch, and so do the parts' surfaces.
};

/// What a world is made of, packed: `CollisionModel` (collision_model.hpp) makes it of shapes.
/// Bodies that move come first. Trees of spheres are groups of eight siblings, each four rows of
/// eight: x, y, z, radius; the root is alone in the last lane of group 0, and the children of lane
/// i of group g are group 8 g + i - 6, or none if that is beyond the last.
struct CollisionWorldArrays {
  std::int64_t num_variables = 0;
  /// (F, 35) of each moving frame, parents first: three matrices, shift, axis, multiplier and
  /// offset; frame 0 stands and is not listed.
  std::vector<double> frames;
  std::vector<std::int64_t> frame_ints;  ///< (F, 3) parent, whether prismatic, variable.
  /// (B, 8) frame; first row of trees and groups of the spheres around a body, the same of those
  /// inside (no groups: none are known); whether it is those spheres; first extreme, and how many.
  std::vector<std::int64_t> bodies;
  std::int64_t num_moving = 0;      ///< Bodies that move.
  std::vector<double> trees;        ///< Rows of eight.
  std::vector<double> extremes;     ///< (E, 3) points of bodies far from each other [m].
  std::vector<std::int64_t> pairs;  ///< (P, 2) bodies that are checked against each other.
  std::vector<double> margins;      ///< (P) distances that they keep [m].
  /// (G, 17, 8) eight primitive obstacles each, in frame 0: position, rotation row by row, half
  /// lengths, radius of the edges, radius of a sphere around.
  std::vector<double> primitives;
  std::vector<std::int64_t> kinds;  ///< (G) 0: boxes with round edges, 1: cylinders.
  std::vector<double> corners;      ///< (8 G, 8, 3) points of primitives far from each other [m].
  std::vector<std::int64_t>
      allowed;          ///< (A, 2) bodies and primitives (8 g + lane) that may touch.
  double margin = 0.0;  ///< Distance to keep from primitives [m].
};

/// The shapes of a world in convex pieces.
struct ShapeArrays {
  std::vector<double> pieces;        ///< Rows of eight of trees, then the pieces.
  std::vector<std::int64_t> places;  ///< Where they are.
};

/// Two things that are not clear of each other.
struct Contact {
  std::int64_t body;
  std::int64_t other;  ///< A body, or -1 - a primitive.
  Verdict verdict;
};

/// What was nearest to a collision in a configuration. A measurement begins with it, so that of
/// configurations near to each other the next one takes less time; it makes no difference to the
/// result, if it is of the same world, and of the same measurement: by spheres or of shapes.
struct Nearest {
  std::int64_t body = -1;  ///< None is known.
  std::int64_t leaf = 0;
  std::int64_t other = 0;
  std::int64_t other_leaf = 0;
};

namespace collision {
struct World;
struct Shapes;
struct Approach;
}  // namespace collision

/// Distances from what is near, and how they change.
struct NearDistances {
  std::vector<double> gaps;       ///< (K) less the margins [m].
  std::vector<double> gradients;  ///< (K, n) by the variables [m/rad or m/m].
};

/// Memory for one thread, which checks and measurements of any world may use one after the other.
struct CollisionMemory {
  std::vector<double> frames;  ///< (F + 1, 12) rotation row by row and position [m].
  std::vector<double> sines;
  std::vector<double> spheres;  ///< (B, 4) around the bodies.
  std::vector<double> point;    ///< A configuration.
  std::vector<double> numbers;  ///< What is near.
};

/// A robot among obstacles. It does not change, and any number of threads may use it at a time.
///
/// Configurations are n numbers [rad or m]; NaN among them is the caller's to find. What spheres
/// cannot tell (`Verdict::kUndecided`) is left to the caller, too.
class CollisionWorld {
 public:
  /// What is no further than this from everything is not proved to be free [m].
  static constexpr double kSure = 1e-6;

  /// Throws std::invalid_argument if the arrays are not consistent.
  explicit CollisionWorld(const CollisionWorldArrays& arrays);
  ~CollisionWorld();
  CollisionWorld(const CollisionWorld&) = delete;
  CollisionWorld& operator=(const CollisionWorld&) = delete;
  CollisionWorld(CollisionWorld&&) noexcept;
  CollisionWorld& operator=(CollisionWorld&&) noexcept;

  [[nodiscard]] std::int64_t numVariables() const;
  [[nodiscard]] std::int64_t numFrames() const;  ///< That move.

  /// Checks a configuration. What spheres prove to be `sure` away from everything is free [m].
  [[nodiscard]] Verdict check(const double* q, double sure, CollisionMemory& memory) const;

  /// The worst verdict on a straight motion in joint space, without its beginning; kInside and
  /// worse end the check. It is checked at points between which no joint moves further than its
  /// `resolution` (n) [rad or m].
  [[nodiscard]] Verdict checkMotion(const double* before, const double* after,
                                    const double* resolution, double sure,
                                    CollisionMemory& memory) const;

  /// All pairs that are not clear of each other; the frames are left in the memory.
  [[nodiscard]] std::vector<Contact> contacts(const double* q, CollisionMemory& memory) const;

  /// A lower bound of the distance from the nearest thing, by spheres [m]: infinite where there is
  /// nothing; below 0, how deep spheres are in each other, so that it grows towards what is clear.
  double clearance(const double* q, Nearest& nearest, CollisionMemory& memory) const;

  /// Measures, by the spheres around, the distances that are less than `within` [m]: of each two
  /// things one, the nearest ones if there are more than `most`. Allocates nothing where the
  /// memory has served this world, and so many, before.
  void nearDistances(const double* q, double within, std::size_t most, NearDistances& found,
                     CollisionMemory& memory) const;

  /// Writes how far a point of the robot, or of what it carries, moves at most, for each variable
  /// (n) [m/rad or m/m]. Args: travel: (n) greatest position of each, of which that of prismatic
  /// joints counts [m].
  void writeReaches(const double* travel, double* reaches) const;

  /// What it consists of, for those who check elsewhere.
  [[nodiscard]] const collision::World& parts() const { return *world_; }

 private:
  friend class ShapeDistances;
  std::unique_ptr<const collision::World> world_;
};

/// Distances between the shapes of a world, which must outlive it. It does not change either.
class ShapeDistances {
 public:
  /// Throws std::invalid_argument if the arrays are not consistent.
  ShapeDistances(const CollisionWorld& world, const ShapeArrays& arrays);
  ~ShapeDistances();
  ShapeDistances(const ShapeDistances&) = delete;
  ShapeDistances& operator=(const ShapeDistances&) = delete;
  ShapeDistances(ShapeDistances&&) noexcept;
  ShapeDistances& operator=(ShapeDistances&&) noexcept;

  /// The distance from the nearest thing, between the shapes themselves [m]: 0 where surfaces
  /// touch, infinite where there is nothing. Inside of a mesh it is that from its surface.
  double distance(const double* q, Nearest& nearest, CollisionMemory& memory) const;

  /// That of two things that are not clear of each other, in the configuration whose contacts were
  /// asked for last with this memory; `most` if it is no less [m].
  double between(const Contact& contact, double most, CollisionMemory& memory) const;

 private:
  std::unique_ptr<const collision::Shapes> shapes_;
};

/// The check that a search asks for each solution, by one thread at a time: that in a world, or of
/// the caller's own. An empty one, or a null pointer to it, checks nothing.
using CollisionCheck = std::function<Verdict(const double* q)>;

/// The check in a world, which must outlive it, with memory of its own.
CollisionCheck checkIn(const CollisionWorld& world, double sure = CollisionWorld::kSure);

}  // namespace generative_ik

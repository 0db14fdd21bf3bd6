/// Limbs of stored postures: for where a tip has to be, one that nearly brings it there.
///
/// A limb is a row of joints that move one tip only, at the end of the way to it. A stored posture
/// is seldom near goals of several tips, which have six coordinates each. But once the joints that
/// tips share are where a posture has them, each limb has a goal of its own, with six coordinates
/// in the frame that the limb hangs from, and of so few there is always a stored one near.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace generative_ik::samplers {

/// Numbers of a pose as the search for near ones has it: the origin, and a point on each axis.
inline constexpr std::int64_t kPoseNumbers = 12;
using PosePoints = std::array<float, kPoseNumbers>;

/// A k-d tree over poses, of which a search looks through one leaf: what it finds is near, and
/// mostly little further away than the nearest of all.
class PoseTree {
 public:
  /// Poses in a leaf at most: to look through them takes about as long as to go down to them.
  static constexpr std::int64_t kLeaf = 16;

  explicit PoseTree(const std::vector<PosePoints>& poses);

  struct Found {
    std::int64_t row;  ///< Of the poses that it was made of.
    float squared;     ///< Sum of the squared distances between their points [m2].
  };
  /// The nearest pose of the leaf that a pose would be in.
  [[nodiscard]] Found near(const PosePoints& pose) const;

 private:
  struct Cut {
    std::int64_t coordinate;
    float at;
  };

  void split(const std::vector<PosePoints>& poses, std::int64_t node, std::int64_t first,
             std::int64_t last);

  std::vector<std::int64_t> rows_;  // leaf by leaf
  std::vector<float> columns_;      // the poses' numbers, leaf by leaf, each by columns
  std::vector<Cut> cuts_;           // parents before children: those of k are 2 k + 1 and 2 k + 2
};

/// The limb that one tip hangs on, in all stored postures.
struct Limb {
  std::int64_t tip;
  std::vector<std::int64_t> variables;
  std::vector<double> roots;  ///< (N, 3, 4) the frame that it hangs from, in the tip's reference.
  PoseTree tips;              ///< Of the tip in that frame.
};

/// The limbs of stored postures (N, n), a floating base at the origin.
struct StoredLimbs {
  std::vector<double> positions;
  std::int64_t num_variables;      ///< n
  std::vector<std::int64_t> base;  ///< (6) variables of x y z [m] yaw pitch roll [rad], or none.
  double length;                   ///< How far the points on a pose's axes are away [m].
  std::vector<Limb> limbs;
};

/// The points of a pose (3, 4).
PosePoints posePoints(const double* pose, double length);

/// Gives postures limbs that nearly bring the tips to their goals, and sorts them.
///
/// Args:
///   stored: Limbs.
///   goals: (K, 4, 4) tip in reference [m].
///   rows: (count) the postures that `seeds` were.
///   count: How many, a multiple of `block`.
///   block: So many after each other are sorted, those first whose tips come nearest.
///   seeds: (count, n) in and out; the base stands where the goals are.
void fitLimbs(const StoredLimbs& stored, const double* goals, const std::int64_t* rows,
              std::int64_t count, std::int64_t block, double* seeds);

}  // namespace generative_ik::samplers

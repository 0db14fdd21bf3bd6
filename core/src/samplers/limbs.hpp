/// Limbs of stored postures: for where a tip has to be, one that nearly brings it there.
///
/// A limb is a row of joints that move one tip only, at the end of the way to it. A stored posture
/// is seldom near goals of several tips, which have six coordinates each. But once the joints that
/// tips share are where a posture has them, each limb has a goal of its own, with six coordinates
/// in the frame that the limb hangs from, and of so few there is always a stored one near.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace generative_ik::samplers {

/// Numbers of a pose as the search for near ones has it: the origin, and a point on each axis.
inline constexpr std::int64_t kPoseNumbers = 12;
using PosePoints = std::array<float, kPoseNumbers>;

/// A pose in single precision, which is enough to choose by: half of the memory to go through.
struct Pose {
  Eigen::Matrix3f turn;
  Eigen::Vector3f origin;  ///< [m]

  /// Of its first three rows (3, 4).
  static Pose of(const double* rows);
  /// The pose of a frame that is at `other` in this one.
  [[nodiscard]] Pose operator*(const Pose& other) const {
    return {turn * other.turn, turn * other.origin + origin};
  }
  /// Where another one is, as seen from this one.
  [[nodiscard]] Pose seen(const Pose& other) const {
    return {turn.transpose() * other.turn, turn.transpose() * (other.origin - origin)};
  }
};

/// The points of a pose, on its axes so far from the origin [m].
PosePoints posePoints(const Pose& pose, float length);

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
  struct Leaf {
    std::array<std::int64_t, kLeaf> rows;
    std::array<std::array<float, kLeaf>, kPoseNumbers> columns;  // infinite where it has fewer

    /// The nearest pose.
    [[nodiscard]] Found nearest(const PosePoints& pose) const;
  };
  /// The leaf that a pose would be in; it is fetched into the cache meanwhile.
  [[nodiscard]] const Leaf& leafOf(const PosePoints& pose) const;

 private:
  // Where poses are split in two: at or beyond which number of a coordinate; or the number of a
  // leaf, and no coordinate.
  struct Node {
    std::int32_t coordinate;
    std::int32_t leaf;
    float at;
  };
  static constexpr std::int32_t kNone = -1;

  void split(const std::vector<PosePoints>& poses, std::span<std::int64_t> rows, std::size_t node);
  void addLeaf(const std::vector<PosePoints>& poses, std::span<const std::int64_t> rows);

  std::vector<Leaf> leaves_;
  std::vector<Node> nodes_;  // parents before children: those of k are 2 k + 1 and 2 k + 2
};

/// The limb that one tip hangs on, in all stored postures.
struct Limb {
  std::int64_t tip;
  std::vector<std::int64_t> variables;
  std::vector<Pose> roots;  ///< (N) the frame that it hangs from, in the tip's reference.
  PoseTree tips;            ///< Of the tip in that frame.
};

}  // namespace generative_ik::samplers

/// Joints and poses among the numbers of a packed problem.
#pragma once

#include <Eigen/Geometry>
#include <array>
#include <cstddef>
#include <vector>

namespace generative_ik {

/// A rotation whose z axis is a given unit vector.
Eigen::Matrix3d frameWithZ(const Eigen::Vector3d& axis);

/// How a frame with a joint's axis as its z axis is placed so that the next joint's is one move
/// along its x and z axes and one turn about x away: x is perpendicular to both axes.
///
/// J. Craig, Introduction to robotics, 2005, section 3.4. Axes that are nearly parallel, whose
/// common perpendicular may be far away, leave a move along y.
struct NextAxis {
  double turn = 0.0;   ///< About z before [rad].
  double slide = 0.0;  ///< Along the next joint's axis, afterwards [m].
};
/// Args: next: a frame with the next joint's axis as its z axis, in one with the joint's.
NextAxis alignWithNext(const Eigen::Isometry3d& next);

/// Appends a pose (4, 4) row by row.
void appendPose(const Eigen::Isometry3d& pose, std::vector<double>& numbers);

/// Reads what `appendPose` appends.
Eigen::Isometry3d readPose(const double* rows);

/// Appends the seven numbers of a pose that the local solver takes, see `poseNumbers`.
void appendSolverPose(const Eigen::Isometry3d& pose, std::vector<double>& numbers);

/// Joints as the verification takes them: Rodrigues' formula, on the chain as it was read; see
/// `verify::RodriguesChain`.
class RodriguesJoints {
 public:
  /// Numbers of each joint: three matrices, a shift, an axis and an offset.
  static constexpr std::array<std::size_t, 6> kSizes = {9, 9, 9, 3, 3, 1};
  static constexpr std::size_t kSize = 34;

  /// Adds a joint. Args: axis: a unit vector in the joint's frame. offset: joint position where
  /// the variable is 0 [rad or m].
  void add(const Eigen::Isometry3d& joint_in_parent, const Eigen::Vector3d& axis,
           double offset = 0.0);
  /// Adds `count` joints that are packed already.
  void add(const double* joints, std::size_t count);
  /// Appends the numbers of all joints, part by part.
  void appendTo(std::vector<double>& numbers) const;

 private:
  std::array<std::vector<double>, kSizes.size()> parts_;
};

}  // namespace generative_ik

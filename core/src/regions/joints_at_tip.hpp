/// What a region leaves free of a tip, as joints behind it.
#pragma once

#include <Eigen/Geometry>
#include <cstdint>
#include <vector>

#include "../local_solver/chain_solver.hpp"
#include "region_numbers.hpp"

namespace generative_ik::regions {

/// Joints that lead from a tip back to the target that it is at, or about: a chain with them
/// behind its own has its tip at the target wherever in the region the tip of the chain is.
///
/// The tip is at target * Trans(x, y, z) Rz(yaw) Ry(pitch) Rx(roll), or, within a cone about z, at
/// target * Trans(x, y, z) Rz(a) Rx(b) Rz(c), where b is at most its half angle. So the joints
/// turn and slide by the same numbers the other way round.
class JointsAtTip {
 public:
  /// Bounds are drawn in by the tolerance, so that what converges to them is inside; an infinite
  /// one leaves positions or rotations free.
  JointsAtTip(const TaskSpaceRegion& region, const Tolerance& tolerance);

  /// How many joints there are.
  [[nodiscard]] std::int64_t size() const { return std::ssize(joints_); }
  [[nodiscard]] double lower(std::int64_t k) const { return jointAt(k).lower; }  ///< [rad or m]
  [[nodiscard]] double upper(std::int64_t k) const { return jointAt(k).upper; }  ///< [rad or m]
  [[nodiscard]] bool slides(std::int64_t k) const { return jointAt(k).slides; }

  /// The numbers of a `ChainProblem`.
  struct Numbers {
    std::vector<double> floats;
    std::vector<std::int64_t> ints;
  };

  /// Those of a chain with the joints behind its own, each with a variable of its own. Args:
  /// chain: the packed chain, for which `ChainProblem::takes` holds.
  [[nodiscard]] Numbers behind(const Packed& chain) const;

  /// Writes where the joints (size) are nearest to a tip, which is given in the target.
  void writeNearest(const Eigen::Isometry3d& tip_in_target, double* positions) const;

 private:
  // A step from the tip to the target: about, or along, an axis of the target; backwards.
  struct Step {
    int axis;
    bool slides;
    int coordinate;  // of a tip, see `coordinatesOf`
    double lower;
    double upper;
  };

  [[nodiscard]] const Step& jointAt(std::int64_t k) const {
    return joints_[static_cast<std::size_t>(k)];
  }
  void add(const Step& step);
  void addTurns(const TaskSpaceRegion& region, const Tolerance& tolerance, bool placed);
  // The pose between the joint before and joint k, or behind the last one.
  [[nodiscard]] const Eigen::Isometry3d& before(std::int64_t k) const {
    return before_[static_cast<std::size_t>(k)];
  }
  void appendVerifier(const double* rest, std::size_t joints, std::vector<double>& floats) const;

  std::vector<Step> joints_;
  std::vector<Eigen::Isometry3d> before_;  // one more than joints
  int cone_axis_ = -1;
  bool position_counts_ = true;
  bool rotation_counts_ = true;
};

}  // namespace generative_ik::regions

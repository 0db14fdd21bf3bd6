/// Joints and the frames that they carry, as numbers for the local solver and the verification.
#pragma once

#include <cstdint>
#include <generative_ik/chain.hpp>
#include <vector>

#include "../local_solver/goals/goal_tree.hpp"
#include "../local_solver/lane_problem.hpp"
#include "../verify/rodrigues_tree.hpp"
#include "shared_variables.hpp"

namespace generative_ik {

/// A tree of joints with its goals: tips whose poses are given in references. A chain is one.
///
/// The local solver gets joints whose frames are turned so that all axes are z axes, the
/// verification gets them as they were read. Both keep frames in slots, see `GoalTree`.
class JointTree {
 public:
  /// A frame in the moved frame of a joint, or in the base if that is below 0.
  struct Frame {
    std::int64_t joint = -1;
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  };
  struct Goal {
    Frame tip{};
    Frame reference{};
  };

  /// Args: parents: the joint before each, which has a lower index, or -1. step_units: of each
  /// variable [rad or m]. Throws std::invalid_argument if an index is out of range.
  JointTree(std::vector<Joint> joints, std::vector<std::int64_t> parents, std::vector<Goal> goals,
            const Vector& step_units);
  explicit JointTree(const Chain& chain);
  /// Chains, whose goals are their tips in the base.
  static JointTree of(const std::vector<Chain>& chains, const SharedVariables& shared,
                      const Vector& step_units);

  /// The same with other step units.
  [[nodiscard]] JointTree steppedBy(const Vector& step_units) const;

  [[nodiscard]] std::int64_t numJoints() const { return std::ssize(joints_); }
  [[nodiscard]] std::int64_t numVariables() const { return std::ssize(scale_); }
  [[nodiscard]] std::int64_t numGoals() const { return std::ssize(tip_slot_); }
  /// Whether there is one tip, given in the base, that all joints move one after another.
  [[nodiscard]] bool isChain() const { return is_chain_; }
  [[nodiscard]] const std::vector<Joint>& joints() const { return joints_; }
  [[nodiscard]] const Eigen::Isometry3d& firstTip() const { return goals_.front().tip.pose; }

  /// What points to its numbers, and must not outlive it.
  [[nodiscard]] LaneChain chain() const;
  [[nodiscard]] GoalTree goals() const;  ///< Poses: no goal has a region.
  [[nodiscard]] verify::RodriguesChain chainVerifier() const;
  [[nodiscard]] verify::RodriguesTree verifier() const;
  /// Writes the moved frame of each joint in the base, where the variables are at `q`.
  void placeJoints(const double* q, std::vector<Eigen::Isometry3d>& frames) const;
  /// Returns a goal's tip in its reference, and writes its geometric Jacobian against that
  /// (6, size). Args: frames: of all joints. in_reference: whether the Jacobian is in the axes of
  /// the reference, not of the base.
  Eigen::Isometry3d goalAt(const std::vector<Eigen::Isometry3d>& frames, std::int64_t goal,
                           bool in_reference, Jacobian& jacobian) const;
  /// Whether a variable moves a goal's tip against its reference.
  [[nodiscard]] bool moves(std::int64_t variable, std::int64_t goal) const;

  /// Whether a chain's joints move its tip in fewer of the constrained directions than there are,
  /// in general: there are too few, or too many alike, and nearly all poses are out of reach.
  /// Args: lower, upper: bounds of the variables, finite. units: the change of each that counts as
  /// 1 rad. options: what has a weight is constrained.
  [[nodiscard]] bool isDeficient(const double* lower, const double* upper, const Vector& units,
                                 const LaneOptions& options) const;

  /// The verifier's numbers of the joints (34 each), part by part.
  [[nodiscard]] const std::vector<double>& rodrigues() const { return rodrigues_; }

 private:
  // Places the frames in which steps see the joints.
  void placeFrames();
  // A frame's pose, seen from the placed frame of the joint that carries it.
  [[nodiscard]] Eigen::Isometry3d inPlaced(const Frame& frame) const;
  void packJoints();
  void keepFrames();
  void findPaths();
  void couple();
  [[nodiscard]] std::int64_t slotOf(std::int64_t joint) const;

  std::vector<Joint> joints_;
  std::vector<std::int64_t> parents_;
  std::vector<Goal> goals_;
  bool is_chain_ = false;
  std::int64_t num_slots_ = 0;
  std::int64_t num_columns_ = 0;
  std::vector<Eigen::Isometry3d> placed_;  // in the frames of their joints, z along the axis
  std::vector<double> origins_, multiplier_, offset_, scale_, tip_, reference_;
  std::vector<double> rodrigues_, tip_pose_, reference_pose_;
  std::vector<std::int64_t> prismatic_, variable_, begin_, slot_, tip_slot_, reference_slot_;
  std::vector<std::int64_t> path_, path_end_, column_, coupled_, bounded_;
};

}  // namespace generative_ik

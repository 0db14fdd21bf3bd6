/// A kinematic chain with its forward kinematics and Jacobian.
#pragma once

#include <Eigen/Geometry>
#include <string>
#include <vector>

namespace generative_ik {

using Vector = Eigen::VectorXd;
using Twist = Eigen::Matrix<double, 6, 1>;
using Jacobian = Eigen::Matrix<double, 6, Eigen::Dynamic>;

/// One entry of a configuration.
struct Variable {
  std::string name;
  double lower = 0.0;       ///< [rad or m]; -inf: no limit
  double upper = 0.0;       ///< [rad or m]; inf: no limit
  bool continuous = false;  ///< Without limits, whatever lower and upper are.
  bool revolute = true;     ///< an angle [rad]; false: prismatic, a length [m]
  /// Whether a full turn leaves the tip pose unchanged. A chain sets it to false if a joint mimics
  /// the variable with a multiplier that is not an integer.
  bool periodic = true;
};

/// How far beyond a limit an encoder may read a position that is taken for one there [rad, m]:
/// MoveIt's default start_state_max_bounds_error, and a tenth of it.
inline constexpr double kOvershootAngle = 0.05;
inline constexpr double kOvershootLength = 0.005;

/// Whether an encoder may read such a position [rad or m]: inside the limits, or so little beyond.
[[nodiscard]] bool mayBeRead(const Variable& variable, double position);

/// A moving joint between base and tip; fixed joints are part of joint_in_parent.
struct Joint {
  enum class Type { kRevolute, kPrismatic };

  Type type = Type::kRevolute;
  Eigen::Isometry3d joint_in_parent = Eigen::Isometry3d::Identity();
  /// In the joint frame, of any length above 0; those of a chain are unit vectors.
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();
  /// The joint position is multiplier * q[variable] + offset; mimic joints share a variable.
  int variable = 0;
  double multiplier = 1.0;
  double offset = 0.0;
};

/// A frame that moves with a chain: that of a link, a sensor or a tool.
struct ChainFrame {
  /// How many of the chain's joints, from the base on, move it; 0: it stands with the base.
  int num_joints = 0;
  /// Its pose in the frame of the last of them, or of the base.
  Eigen::Isometry3d in_last_joint = Eigen::Isometry3d::Identity();
};

class Chain {
 public:
  /// Throws std::invalid_argument if a joint refers to no variable, an axis is zero, a limit is
  /// NaN, no position is within limits, a frame is no rigid transform, or another number is not
  /// finite.
  Chain(std::vector<Variable> variables, std::vector<Joint> joints,
        Eigen::Isometry3d tip_in_last_joint = Eigen::Isometry3d::Identity());

  [[nodiscard]] const std::vector<Variable>& variables() const { return variables_; }
  [[nodiscard]] const std::vector<Joint>& joints() const { return joints_; }
  [[nodiscard]] const Eigen::Isometry3d& tipInLastJoint() const { return tip_.in_last_joint; }
  [[nodiscard]] int size() const { return static_cast<int>(variables_.size()); }

  /// Length that is weighted like 1 rad [m]: half of the reach, with at most 10 m of each
  /// prismatic joint's travel; 1 m if that is nothing.
  [[nodiscard]] double characteristicLength() const { return characteristic_length_; }

  /// The change of each variable (size) that counts as 1 rad [rad or m].
  [[nodiscard]] Vector units() const;

  /// The step of each variable (size) that costs as much as 1 rad [rad or m]. That of a prismatic
  /// one is the characteristic length or half its range: there may be much room to step through.
  [[nodiscard]] Vector stepUnits() const;

  /// The tip is never further than this from the origin of the first joint [m]; inf if a prismatic
  /// joint has no limits.
  [[nodiscard]] double reach() const { return reach_; }

  /// Pose of the tip in the base frame for q (size) [rad or m]. This and what follows throw
  /// std::invalid_argument for a q of another length.
  [[nodiscard]] Eigen::Isometry3d tipInBase(const Vector& q) const;

  /// Also computes the geometric Jacobian in the base frame (6, size): linear velocity of the tip
  /// in rows 0 to 2, angular velocity in rows 3 to 5.
  Eigen::Isometry3d tipInBase(const Vector& q, Jacobian& jacobian_in_base) const;

  /// The same for any frame of the chain; variables that do not move it have columns of zeros. A
  /// Jacobian that has its size already is written without allocation. Throws
  /// std::invalid_argument if the chain has fewer joints than the frame names.
  [[nodiscard]] Eigen::Isometry3d frameInBase(const Vector& q, const ChainFrame& frame) const;
  Eigen::Isometry3d frameInBase(const Vector& q, const ChainFrame& frame,
                                Jacobian& jacobian_in_base) const;

 private:
  std::vector<Variable> variables_;
  std::vector<Joint> joints_;
  ChainFrame tip_;
  double characteristic_length_;
  double reach_;
};

}  // namespace generative_ik

// Joint data from base to tip in; tip pose and Jacobian for a configuration out.
#pragma once

#include <Eigen/Geometry>
#include <string>
#include <vector>

namespace generative_ik {

using Vector = Eigen::VectorXd;
using Twist = Eigen::Matrix<double, 6, 1>;
using Jacobian = Eigen::Matrix<double, 6, Eigen::Dynamic>;

// What one entry of a configuration may be.
struct Variable {
  std::string name;
  double lower = 0.0;       // [rad or m]; -inf where there is no limit
  double upper = 0.0;       // [rad or m]; inf where there is no limit
  bool continuous = false;  // turns without end: limits do not apply
  bool turning = true;      // an angle [rad]; false: a length [m]
  // Whether a full turn leaves the tip where it is. A chain sets it to false where a joint follows
  // by another factor than a whole one.
  bool periodic = true;
};

// A moving joint on the path from base to tip; fixed joints are part of joint_in_parent.
struct Joint {
  enum class Type { kRevolute, kPrismatic };

  Type type = Type::kRevolute;
  Eigen::Isometry3d joint_in_parent = Eigen::Isometry3d::Identity();
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();  // unit length, in the joint's own frame
  // The joint stands at multiplier * q[variable] + offset: a mimic joint follows another variable.
  int variable = 0;
  double multiplier = 1.0;
  double offset = 0.0;
};

class Chain {
 public:
  // Raises std::invalid_argument: a joint refers to no variable, an axis is zero, a limit is NaN,
  // or lower is above upper.
  Chain(std::vector<Variable> variables, std::vector<Joint> joints,
        Eigen::Isometry3d tip_in_last_joint = Eigen::Isometry3d::Identity());

  [[nodiscard]] const std::vector<Variable>& variables() const { return variables_; }
  [[nodiscard]] int size() const { return static_cast<int>(variables_.size()); }

  // Half of the reach when stretched out [m], at least 1 mm: the length that counts like 1 rad.
  [[nodiscard]] double characteristicLength() const { return characteristic_length_; }

  // Pose of the tip in the base frame. Args: q (size) [rad or m].
  [[nodiscard]] Eigen::Isometry3d tipInBase(const Vector& q) const;

  // As tipInBase, and the derivative by q of the tip's position (rows 0 to 2) and its turning
  // about the base's axes (rows 3 to 5), in jacobian_in_base (6, size).
  Eigen::Isometry3d tipInBase(const Vector& q, Jacobian& jacobian_in_base) const;

 private:
  std::vector<Variable> variables_;
  std::vector<Joint> joints_;
  Eigen::Isometry3d tip_in_last_joint_;
  double characteristic_length_;
};

}  // namespace generative_ik

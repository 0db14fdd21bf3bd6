// ros2_control's KinematicsInterface: the differential kinematics of a chain, for controllers.
#pragma once

#include <generative_ik/damped_inverse.hpp>
#include <generative_ik/urdf.hpp>
#include <kinematics_interface/kinematics_interface.hpp>
#include <memory>
#include <optional>
#include <rclcpp/clock.hpp>
#include <string>

#include "settings.hpp"

namespace generative_ik_ros {

// What cannot be answered returns false, is logged, and leaves the result as it was. Calls that
// succeed allocate nothing. For one thread at a time, as the loop of a controller is.
//
// kinematics_interface lacks some of these functions on Humble (0.x), and has one more from 2.0
// on. Those that a version lacks are declared without `override`.
class KinematicsInterface : public kinematics_interface::KinematicsInterface {
 public:
  using Twist = generative_ik::Twist;  // linear, angular
  using Jacobian = generative_ik::Jacobian;
  using JacobianInverse = generative_ik::JacobianInverse;
  using Pose = Eigen::Matrix<double, 7, 1>;  // x, y, z, qx, qy, qz, qw

  // Reads the parameters of a namespace, and `robot_description` if none is given.
  bool initialize(const std::string& robot_description, std::shared_ptr<Parameters> parameters,
                  const std::string& parameter_namespace);

  // That of Humble, without a namespace.
  bool initialize(std::shared_ptr<Parameters> parameters, const std::string& tip_link);

  bool convert_cartesian_deltas_to_joint_deltas(const Eigen::VectorXd& joint_pos,
                                                const Twist& delta_x, const std::string& link_name,
                                                Eigen::VectorXd& delta_theta) override;

  bool convert_joint_deltas_to_cartesian_deltas(const Eigen::VectorXd& joint_pos,
                                                const Eigen::VectorXd& delta_theta,
                                                const std::string& link_name,
                                                Twist& delta_x) override;

  bool calculate_link_transform(const Eigen::VectorXd& joint_pos, const std::string& link_name,
                                Eigen::Isometry3d& transform) override;

  bool calculate_jacobian(const Eigen::VectorXd& joint_pos, const std::string& link_name,
                          Jacobian& jacobian) override;

  bool calculate_jacobian_inverse(const Eigen::VectorXd& joint_pos, const std::string& link_name,
                                  JacobianInverse& jacobian_inverse);

  // The constant twist that takes pose a to pose b in dt [s], in the frame of the poses.
  bool calculate_frame_difference(Pose& x_a, Pose& x_b, double dt, Twist& delta_x);

 private:
  struct Model {
    generative_ik::UrdfChain robot;
    double damping;
    // Written by calls.
    Jacobian jacobian;
    JacobianInverse inverse;
  };

  // Throws std::invalid_argument if the settings name no chain.
  static Model modelOf(const Settings& settings);

  // What is empty is read from the parameters.
  bool load(const Parameters& parameters, const std::string& prefix,
            const std::string& robot_description, const std::string& tip_link);

  // Null if there is no model, no such link, or these are no joint positions.
  [[nodiscard]] const generative_ik::ChainFrame* frameOf(const Eigen::VectorXd& joint_pos,
                                                         const std::string& link_name);
  [[nodiscard]] bool areJointValues(const char* name, const Eigen::VectorXd& values);
  // Results must have their sizes as well, so that none is allocated.
  [[nodiscard]] bool hasSize(const char* name, Eigen::Index size, Eigen::Index expected);
  // The inverse of the Jacobian that was written last.
  [[nodiscard]] bool invert(JacobianInverse& inverse);
  void logFailure(const std::string& why);

  std::optional<Model> model_;
  rclcpp::Clock clock_{RCL_STEADY_TIME};
};

}  // namespace generative_ik_ros

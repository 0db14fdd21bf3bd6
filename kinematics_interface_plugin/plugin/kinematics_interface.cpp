#include "kinematics_interface.hpp"

#include <algorithm>
#include <cmath>
#include <generative_ik/pose_error.hpp>
#include <pluginlib/class_list_macros.hpp>
#include <rclcpp/logging.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

namespace generative_ik_ros {
namespace {

constexpr int kLogPeriod = 1000;  // [ms]
// Quaternions of no more than this have no direction.
constexpr double kNoNorm = 1e-6;

rclcpp::Logger logger() {
  return rclcpp::get_logger("generative_ik_kinematics_interface");
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

std::vector<std::string> jointNames(const generative_ik::Chain& chain) {
  std::vector<std::string> names;
  for (const generative_ik::Variable& variable : chain.variables()) {
    names.push_back(variable.name);
  }
  return names;
}

// Joint positions come without names: with another order every result would be false.
void checkOrder(const std::vector<std::string>& chain,
                const std::vector<std::string>& controller) {
  if (controller != chain &&
      std::is_permutation(controller.begin(), controller.end(), chain.begin(), chain.end())) {
    throw std::invalid_argument("parameter joints is " + listed(controller) +
                                ", but the order of the chain is " + listed(chain));
  }
}

Eigen::Isometry3d isometryOf(const KinematicsInterface::Pose& pose) {
  return Eigen::Translation3d(pose.head<3>()) *
         Eigen::Quaterniond(pose.tail<4>()).normalized();  // x, y, z, w as Eigen's own
}

bool isPose(const KinematicsInterface::Pose& pose) {
  return pose.allFinite() && pose.tail<4>().norm() > kNoNorm;
}

}  // namespace

bool KinematicsInterface::initialize(const std::string& robot_description,
                                     std::shared_ptr<Parameters> parameters,
                                     const std::string& parameter_namespace) {
  const std::string prefix = parameter_namespace.empty() ? "" : parameter_namespace + ".";
  return load(*parameters, prefix, robot_description, "");
}

bool KinematicsInterface::initialize(std::shared_ptr<Parameters> parameters,
                                     const std::string& tip_link) {
  return load(*parameters, "", "", tip_link);
}

bool KinematicsInterface::load(const Parameters& parameters, const std::string& prefix,
                               const std::string& robot_description, const std::string& tip_link) {
  model_.reset();
  try {
    Settings settings = readSettings(parameters, prefix);
    if (!robot_description.empty()) {
      settings.robot_description = robot_description;
    }
    if (!tip_link.empty()) {
      settings.tip_link = tip_link;
    }
    model_ = modelOf(settings);
  } catch (const std::exception& error) {
    RCLCPP_ERROR(logger(), "%s", error.what());
    return false;
  }
  const generative_ik::UrdfChain& robot = model_->robot;
  RCLCPP_INFO(logger(), "chain from %s to %s: %s", robot.base_link.c_str(), robot.tip_link.c_str(),
              listed(jointNames(robot.chain)).c_str());
  return true;
}

KinematicsInterface::Model KinematicsInterface::modelOf(const Settings& settings) {
  if (settings.robot_description.empty()) {
    throw std::invalid_argument(
        "no robot description is given, and parameter robot_description is not set");
  }
  if (settings.tip_link.empty()) {
    throw std::invalid_argument("parameter tip is not set");
  }
  if (!(settings.damping >= 0.0) || std::isinf(settings.damping)) {
    throw std::invalid_argument("parameter alpha is " + std::to_string(settings.damping) +
                                ", but must be 0 or more");
  }
  generative_ik::UrdfChain robot =
      generative_ik::readUrdf(settings.robot_description, settings.base_link, settings.tip_link);
  checkOrder(jointNames(robot.chain), settings.controller_joints);
  const int size = robot.chain.size();
  return {std::move(robot), settings.damping, Jacobian::Zero(6, size),
          JacobianInverse::Zero(size, 6)};
}

bool KinematicsInterface::convert_cartesian_deltas_to_joint_deltas(
    const Eigen::VectorXd& joint_pos, const Twist& delta_x, const std::string& link_name,
    Eigen::VectorXd& delta_theta) {
  const generative_ik::ChainFrame* frame = frameOf(joint_pos, link_name);
  if (frame == nullptr || !hasSize("delta_theta", delta_theta.size(), joint_pos.size())) {
    return false;
  }
  if (!delta_x.allFinite()) {
    logFailure("delta_x is not finite");
    return false;
  }
  model_->robot.chain.frameInBase(joint_pos, *frame, model_->jacobian);
  if (!invert(model_->inverse)) {
    return false;
  }
  delta_theta.noalias() = model_->inverse * delta_x;
  return true;
}

bool KinematicsInterface::convert_joint_deltas_to_cartesian_deltas(
    const Eigen::VectorXd& joint_pos, const Eigen::VectorXd& delta_theta,
    const std::string& link_name, Twist& delta_x) {
  const generative_ik::ChainFrame* frame = frameOf(joint_pos, link_name);
  if (frame == nullptr || !areJointValues("delta_theta", delta_theta)) {
    return false;
  }
  model_->robot.chain.frameInBase(joint_pos, *frame, model_->jacobian);
  delta_x.noalias() = model_->jacobian * delta_theta;
  return true;
}

bool KinematicsInterface::calculate_link_transform(const Eigen::VectorXd& joint_pos,
                                                   const std::string& link_name,
                                                   Eigen::Isometry3d& transform) {
  const generative_ik::ChainFrame* frame = frameOf(joint_pos, link_name);
  if (frame == nullptr) {
    return false;
  }
  transform = model_->robot.chain.frameInBase(joint_pos, *frame);
  return true;
}

bool KinematicsInterface::calculate_jacobian(const Eigen::VectorXd& joint_pos,
                                             const std::string& link_name, Jacobian& jacobian) {
  const generative_ik::ChainFrame* frame = frameOf(joint_pos, link_name);
  if (frame == nullptr || !hasSize("columns of jacobian", jacobian.cols(), joint_pos.size())) {
    return false;
  }
  model_->robot.chain.frameInBase(joint_pos, *frame, jacobian);
  return true;
}

bool KinematicsInterface::calculate_jacobian_inverse(const Eigen::VectorXd& joint_pos,
                                                     const std::string& link_name,
                                                     JacobianInverse& jacobian_inverse) {
  const generative_ik::ChainFrame* frame = frameOf(joint_pos, link_name);
  if (frame == nullptr ||
      !hasSize("rows of jacobian_inverse", jacobian_inverse.rows(), joint_pos.size())) {
    return false;
  }
  model_->robot.chain.frameInBase(joint_pos, *frame, model_->jacobian);
  return invert(jacobian_inverse);
}

bool KinematicsInterface::calculate_frame_difference(Pose& x_a, Pose& x_b, double dt,
                                                     Twist& delta_x) {
  if (!isPose(x_a) || !isPose(x_b)) {
    logFailure("a frame is not finite, or its quaternion is zero");
    return false;
  }
  if (!(dt > 0.0) || std::isinf(dt)) {
    logFailure("dt is " + std::to_string(dt) + " s, but must be above 0");
    return false;
  }
  delta_x = generative_ik::poseError(isometryOf(x_a), isometryOf(x_b)) / dt;
  return true;
}

const generative_ik::ChainFrame* KinematicsInterface::frameOf(const Eigen::VectorXd& joint_pos,
                                                              const std::string& link_name) {
  if (!model_) {
    logFailure("not initialized");
    return nullptr;
  }
  if (!areJointValues("joint_pos", joint_pos)) {
    return nullptr;
  }
  const auto& links = model_->robot.links;
  const auto found = links.find(link_name);
  if (found == links.end()) {
    std::vector<std::string> names;
    for (const auto& [name, frame] : links) {
      names.push_back(name);
    }
    logFailure("no link " + link_name + " moves with the chain; links: " + listed(names));
    return nullptr;
  }
  return &found->second;
}

bool KinematicsInterface::areJointValues(const char* name, const Eigen::VectorXd& values) {
  if (!hasSize(name, values.size(), model_->robot.chain.size())) {
    return false;
  }
  if (!values.allFinite()) {
    logFailure(std::string(name) + " is not finite");
    return false;
  }
  return true;
}

bool KinematicsInterface::hasSize(const char* name, Eigen::Index size, Eigen::Index expected) {
  if (size != expected) {
    logFailure(std::string(name) + ": " + std::to_string(size) + " instead of " +
               std::to_string(expected) + ", for the joints " +
               listed(jointNames(model_->robot.chain)));
  }
  return size == expected;
}

bool KinematicsInterface::invert(JacobianInverse& inverse) {
  const bool found = generative_ik::dampedInverse(model_->jacobian, model_->damping, inverse);
  if (!found) {
    logFailure("singular; alpha is " + std::to_string(model_->damping));
  }
  return found;
}

void KinematicsInterface::logFailure(const std::string& why) {
  RCLCPP_ERROR_THROTTLE(logger(), clock_, kLogPeriod, "%s", why.c_str());
}

}  // namespace generative_ik_ros

PLUGINLIB_EXPORT_CLASS(generative_ik_ros::KinematicsInterface,
                       kinematics_interface::KinematicsInterface)

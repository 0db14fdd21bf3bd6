#include "generative_ik_plugin.hpp"

#include <algorithm>
#include <cmath>
#include <generative_ik_ros/generative_ik_parameters.hpp>
#include <iterator>
#include <limits>
#include <pluginlib/class_list_macros.hpp>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "group_chains.hpp"
#include "pose_message.hpp"

namespace generative_ik_ros {
namespace {

using generative_ik::Deadline;
using generative_ik::SearchBox;
using generative_ik::Vector;
using kinematics::KinematicErrors::KinematicError;

rclcpp::Logger logger() {
  return rclcpp::get_logger("generative_ik_plugin");
}

std::vector<std::string> wordsOf(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// Throws std::invalid_argument if a number is not finite or the quaternion is zero.
Eigen::Isometry3d poseOf(const geometry_msgs::msg::Pose& message) {
  const Eigen::Vector3d position(message.position.x, message.position.y, message.position.z);
  const Eigen::Quaterniond orientation(message.orientation.w, message.orientation.x,
                                       message.orientation.y, message.orientation.z);
  constexpr double kZeroNorm = 1e-6;
  if (!position.allFinite() || !orientation.coeffs().allFinite() ||
      orientation.norm() < kZeroNorm) {
    throw std::invalid_argument("the pose is not finite, or its quaternion is zero");
  }
  return Eigen::Translation3d(position) * orientation.normalized();
}

// Names of links, for messages.
std::string listed(const std::vector<std::string>& links) {
  std::string list;
  for (const std::string& link : links) {
    list += (list.empty() ? "'" : ", '") + link + "'";
  }
  return list;
}

generative_ik::SolverOptions optionsOf(const generative_ik_plugin::Params& params) {
  generative_ik::SolverOptions options;
  options.tolerance = {params.position_tolerance, params.position_only_ik
                                                      ? std::numeric_limits<double>::infinity()
                                                      : params.orientation_tolerance};
  if (params.prefer == "position") {
    options.prefer = generative_ik::Preference::kPosition;
  } else if (params.prefer == "orientation") {
    options.prefer = generative_ik::Preference::kOrientation;
  }
  return options;
}

}  // namespace

bool GenerativeIKPlugin::initialize(const rclcpp::Node::SharedPtr& node,
                                    const moveit::core::RobotModel& robot_model,
                                    const std::string& group_name, const std::string& base_frame,
                                    const std::vector<std::string>& tip_frames,
                                    double search_discretization) {
  node_ = node;
  storeValues(robot_model, group_name, base_frame, tip_frames, search_discretization);
  joint_model_group_ = robot_model.getJointModelGroup(group_name);
  std::string reason;
  if (joint_model_group_ == nullptr || !supportsGroup(joint_model_group_, &reason)) {
    RCLCPP_ERROR(logger(), "group '%s' is not supported: %s", group_name.c_str(), reason.c_str());
    return false;
  }
  try {
    // Declares the parameters with their descriptions and validates the values.
    generative_ik_plugin::ParamListener listener(node,
                                                 "robot_description_kinematics." + group_name);
    const generative_ik_plugin::Params params = listener.get_params();
    settings_ = {static_cast<int>(params.num_solutions), params.random_seed,
                 params.shortcut_distance, params.server_share};
    if (!joint_model_group_->isChain() && tip_frames_.size() == 1) {
      // MoveIt's loader names one link of any group.
      tip_frames_ =
          params.tip_links.empty() ? tipsOf(*joint_model_group_) : wordsOf(params.tip_links);
    }
    if (tip_frames_.empty()) {
      throw std::invalid_argument(
          "it is no chain, and neither its end effectors nor its subgroups say what its tips are: "
          "name them in the parameter tip_links");
    }
    solver_ = std::make_unique<const generative_ik::IKSolver>(
        chainsOf(*joint_model_group_, base_frame_, tip_frames_), optionsOf(params));
    joints_ = std::make_unique<const GroupJoints>(*joint_model_group_, solver_->variables(),
                                                  listed(tip_frames_));
    server_.reset();
    const bool asks = !params.sampler.empty() || params.avoid_collisions;
    if (asks && !params.service.empty()) {
      server_ = std::make_unique<Server>(
          *node, ServerSettings{params.service, base_frame_, tip_frames_, params.sampler,
                                params.avoid_collisions, params.startup_wait});
    }
  } catch (const std::exception& error) {
    RCLCPP_ERROR(logger(), "group '%s' is not supported: %s", group_name.c_str(), error.what());
    return false;
  }
  // One search serves any number of solutions.
  supported_methods_ = {kinematics::DiscretizationMethods::NO_DISCRETIZATION,
                        kinematics::DiscretizationMethods::ALL_RANDOM_SAMPLED};
  return true;
}

bool GenerativeIKPlugin::supportsGroup(const moveit::core::JointModelGroup* jmg,
                                       std::string* error_text_out) const {
  std::string reason;
  for (const moveit::core::JointModel* joint : jmg->getJointModels()) {
    if (joint->getVariableCount() > 1) {
      reason = "joint '" + joint->getName() + "' has more than one variable";
    }
  }
  if (error_text_out != nullptr) {
    *error_text_out = reason;
  }
  return reason.empty();
}

double GenerativeIKPlugin::timeLimit(double timeout) const {
  // As in MoveIt, a timeout of (nearly) 0 means the default.
  return timeout > std::numeric_limits<double>::epsilon() ? timeout : default_timeout_;
}

Query GenerativeIKPlugin::query(const std::vector<Pose>& ik_poses, const Positions& ik_seed_state,
                                const Positions& consistency_limits,
                                const Options& options) const {
  if (solver_ == nullptr) {
    throw std::invalid_argument("the plugin is not initialized");
  }
  if (ik_poses.size() != tip_frames_.size()) {
    throw std::invalid_argument(std::to_string(ik_poses.size()) + " poses for " +
                                std::to_string(tip_frames_.size()) + " tips");
  }
  generative_ik::IKRequest request;
  std::transform(ik_poses.begin(), ik_poses.end(), std::back_inserter(request.targets_in_base),
                 poseOf);
  request.seed_state = joints_->toVariables(ik_seed_state);
  request.consistency_limits = limitsOf(consistency_limits, options);
  SearchBox box(solver_->variables(), *request.seed_state, request.consistency_limits);
  return Query{*solver_, std::move(request), std::move(box)};
}

generative_ik::ConsistencyLimits GenerativeIKPlugin::limitsOf(const Positions& consistency_limits,
                                                              const Options& options) const {
  Positions limits = consistency_limits;
  if (options.lock_redundant_joints && !redundant_joint_indices_.empty()) {
    limits.resize(getJointNames().size(), std::numeric_limits<double>::infinity());
    for (const unsigned int joint : redundant_joint_indices_) {
      limits.at(joint) = 0.0;
    }
  }
  return joints_->limitsToVariables(limits);
}

bool GenerativeIKPlugin::getPositionIK(const Pose& ik_pose, const Positions& ik_seed_state,
                                       Positions& solution, ErrorCode& error_code,
                                       const Options& options) const {
  error_code.val = ErrorCode::NO_IK_SOLUTION;
  const Deadline deadline(timeLimit(0.0));
  try {
    const Query asked = query({ik_pose}, ik_seed_state, {}, options);
    Search search(asked, server_.get(), settings_, deadline);
    std::optional<Vector> nearest = search.nearest();
    if (!nearest && options.return_approximate_solution) {
      nearest = search.closest();
    }
    if (nearest && nearest->size() > 0) {
      solution = joints_->toGroup(*nearest);
      error_code.val = ErrorCode::SUCCESS;
    } else if (deadline.passed()) {
      error_code.val = ErrorCode::TIMED_OUT;
    }
  } catch (const std::invalid_argument& error) {
    RCLCPP_ERROR(logger(), "getPositionIK: %s", error.what());
  }
  return error_code.val == ErrorCode::SUCCESS;
}

bool GenerativeIKPlugin::getPositionIK(const std::vector<Pose>& ik_poses,
                                       const Positions& ik_seed_state,
                                       std::vector<Positions>& solutions,
                                       kinematics::KinematicsResult& result,
                                       const Options& options) const {
  solutions.clear();
  result.solution_percentage = 0.0;
  if (ik_poses.size() != tip_frames_.size()) {
    result.kinematic_error = ik_poses.empty() ? KinematicError::EMPTY_TIP_POSES
                                              : KinematicError::MULTIPLE_TIPS_NOT_SUPPORTED;
    return false;
  }
  if (std::find(supported_methods_.begin(), supported_methods_.end(),
                options.discretization_method) == supported_methods_.end()) {
    result.kinematic_error = KinematicError::UNSUPORTED_DISCRETIZATION_REQUESTED;
    return false;
  }
  const Deadline deadline(timeLimit(0.0));
  try {
    const Query asked = query(ik_poses, ik_seed_state, {}, options);
    for (const Vector& q : Search(asked, server_.get(), settings_, deadline).all()) {
      solutions.push_back(joints_->toGroup(q));
    }
  } catch (const std::invalid_argument& error) {
    RCLCPP_ERROR(logger(), "getPositionIK: %s", error.what());
  }
  result.kinematic_error = solutions.empty() ? KinematicError::NO_SOLUTION : KinematicError::OK;
  result.solution_percentage =
      std::min(1.0, static_cast<double>(solutions.size()) / settings_.num_solutions);
  return !solutions.empty();
}

bool GenerativeIKPlugin::searchPositionIK(const Pose& ik_pose, const Positions& ik_seed_state,
                                          double timeout, Positions& solution,
                                          ErrorCode& error_code, const Options& options) const {
  return searchPositionIK({ik_pose}, ik_seed_state, timeout, {}, solution, nullptr, nullptr,
                          error_code, options);
}

bool GenerativeIKPlugin::searchPositionIK(const Pose& ik_pose, const Positions& ik_seed_state,
                                          double timeout, const Positions& consistency_limits,
                                          Positions& solution, ErrorCode& error_code,
                                          const Options& options) const {
  return searchPositionIK({ik_pose}, ik_seed_state, timeout, consistency_limits, solution, nullptr,
                          nullptr, error_code, options);
}

bool GenerativeIKPlugin::searchPositionIK(const Pose& ik_pose, const Positions& ik_seed_state,
                                          double timeout, Positions& solution,
                                          const IKCallbackFn& solution_callback,
                                          ErrorCode& error_code, const Options& options) const {
  return searchPositionIK({ik_pose}, ik_seed_state, timeout, {}, solution, solution_callback,
                          nullptr, error_code, options);
}

bool GenerativeIKPlugin::searchPositionIK(const Pose& ik_pose, const Positions& ik_seed_state,
                                          double timeout, const Positions& consistency_limits,
                                          Positions& solution,
                                          const IKCallbackFn& solution_callback,
                                          ErrorCode& error_code, const Options& options) const {
  return searchPositionIK({ik_pose}, ik_seed_state, timeout, consistency_limits, solution,
                          solution_callback, nullptr, error_code, options);
}

bool GenerativeIKPlugin::searchPositionIK(const std::vector<Pose>& ik_poses,
                                          const Positions& ik_seed_state, double timeout,
                                          const Positions& consistency_limits, Positions& solution,
                                          const IKCallbackFn& solution_callback,
                                          ErrorCode& error_code, const Options& options,
                                          const moveit::core::RobotState* context_state) const {
  return searchPositionIK(ik_poses, ik_seed_state, timeout, consistency_limits, solution,
                          solution_callback, nullptr, error_code, options, context_state);
}

bool GenerativeIKPlugin::searchPositionIK(const std::vector<Pose>& ik_poses,
                                          const Positions& ik_seed_state, double timeout,
                                          const Positions& consistency_limits, Positions& solution,
                                          const IKCallbackFn& solution_callback,
                                          const IKCostFn& cost_function, ErrorCode& error_code,
                                          const Options& options,
                                          const moveit::core::RobotState* context_state) const {
  const Deadline deadline(timeLimit(timeout));
  error_code.val = ErrorCode::NO_IK_SOLUTION;
  if (ik_poses.empty() || ik_poses.size() != tip_frames_.size()) {
    RCLCPP_ERROR(logger(), "searchPositionIK: %zu poses for %zu tips", ik_poses.size(),
                 tip_frames_.size());
    return false;
  }
  const Search::Accept accept = [&](const Vector& q) {
    Positions candidate = joints_->toGroup(q);
    ErrorCode result;
    result.val = ErrorCode::SUCCESS;
    if (solution_callback) {
      // A callback that does not set the error code rejects the candidate.
      result.val = ErrorCode::FAILURE;
      solution_callback(ik_poses[0], candidate, result);
    }
    if (result.val == ErrorCode::SUCCESS) {
      solution = std::move(candidate);
    }
    return result.val == ErrorCode::SUCCESS;
  };
  std::optional<moveit::core::RobotState> state;
  Search::Cost cost;
  if (cost_function) {
    state = context_state != nullptr ? *context_state : moveit::core::RobotState(robot_model_);
    if (context_state == nullptr) {
      state->setToDefaultValues();
    }
    cost = [&](const Vector& q) {
      state->setJointGroupPositions(joint_model_group_, joints_->toGroup(q));
      state->update();
      return cost_function(ik_poses[0], *state, joint_model_group_, ik_seed_state);
    };
  }
  try {
    const Query asked = query(ik_poses, ik_seed_state, consistency_limits, options);
    Search search(asked, server_.get(), settings_, deadline);
    const Search::Outcome outcome = search.firstAccepted(accept, cost);
    bool accepted = outcome == Search::Outcome::kAccepted;
    if (!accepted && options.return_approximate_solution) {
      const Vector closest = search.closest();
      accepted = closest.size() > 0 && accept(closest);
    }
    if (accepted) {
      error_code.val = ErrorCode::SUCCESS;
    } else if (outcome == Search::Outcome::kTimedOut) {
      error_code.val = ErrorCode::TIMED_OUT;
    }
  } catch (const std::invalid_argument& error) {
    RCLCPP_ERROR(logger(), "searchPositionIK: %s", error.what());
  }
  return error_code.val == ErrorCode::SUCCESS;
}

bool GenerativeIKPlugin::getPositionFK(const std::vector<std::string>& link_names,
                                       const Positions& joint_angles,
                                       std::vector<Pose>& poses) const {
  poses.clear();
  if (joints_ == nullptr || joint_angles.size() != getJointNames().size()) {
    RCLCPP_ERROR(logger(), "getPositionFK: wrong number of joint positions, %zu",
                 joint_angles.size());
    return false;
  }
  moveit::core::RobotState state(robot_model_);
  state.setToDefaultValues();
  state.setJointGroupPositions(joint_model_group_, joint_angles);
  state.updateLinkTransforms();
  const Eigen::Isometry3d root_in_base = robot_model_->hasLinkModel(base_frame_)
                                             ? state.getGlobalLinkTransform(base_frame_).inverse()
                                             : Eigen::Isometry3d::Identity();
  for (const std::string& link : link_names) {
    if (!robot_model_->hasLinkModel(link)) {
      RCLCPP_ERROR(logger(), "getPositionFK: the robot has no link '%s'", link.c_str());
      poses.clear();
      return false;
    }
    poses.push_back(messageOf(root_in_base * state.getGlobalLinkTransform(link)));
  }
  return true;
}

}  // namespace generative_ik_ros

PLUGINLIB_EXPORT_CLASS(generative_ik_ros::GenerativeIKPlugin, kinematics::KinematicsBase)

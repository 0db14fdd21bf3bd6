// MoveIt's KinematicsBase for one planning group.
#pragma once

#include <generative_ik/deadline.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "group_joints.hpp"
#include "moveit_headers.hpp"
#include "search.hpp"

namespace generative_ik_ros {

class GenerativeIKPlugin : public kinematics::KinematicsBase {
 public:
  using Pose = geometry_msgs::msg::Pose;
  using ErrorCode = moveit_msgs::msg::MoveItErrorCodes;
  using Options = kinematics::KinematicsQueryOptions;
  using Positions = std::vector<double>;

  bool initialize(const rclcpp::Node::SharedPtr& node, const moveit::core::RobotModel& robot_model,
                  const std::string& group_name, const std::string& base_frame,
                  const std::vector<std::string>& tip_frames,
                  double search_discretization) override;

  // Returns the nearest of up to num_solutions solutions, or the seed if it solves.
  bool getPositionIK(const Pose& ik_pose, const Positions& ik_seed_state, Positions& solution,
                     ErrorCode& error_code, const Options& options = Options()) const override;

  // Returns up to num_solutions solutions, nearest to the seed first.
  bool getPositionIK(const std::vector<Pose>& ik_poses, const Positions& ik_seed_state,
                     std::vector<Positions>& solutions, kinematics::KinematicsResult& result,
                     const Options& options) const override;

  bool searchPositionIK(const Pose& ik_pose, const Positions& ik_seed_state, double timeout,
                        Positions& solution, ErrorCode& error_code,
                        const Options& options = Options()) const override;

  bool searchPositionIK(const Pose& ik_pose, const Positions& ik_seed_state, double timeout,
                        const Positions& consistency_limits, Positions& solution,
                        ErrorCode& error_code, const Options& options = Options()) const override;

  bool searchPositionIK(const Pose& ik_pose, const Positions& ik_seed_state, double timeout,
                        Positions& solution, const IKCallbackFn& solution_callback,
                        ErrorCode& error_code, const Options& options = Options()) const override;

  bool searchPositionIK(const Pose& ik_pose, const Positions& ik_seed_state, double timeout,
                        const Positions& consistency_limits, Positions& solution,
                        const IKCallbackFn& solution_callback, ErrorCode& error_code,
                        const Options& options = Options()) const override;

  bool searchPositionIK(const std::vector<Pose>& ik_poses, const Positions& ik_seed_state,
                        double timeout, const Positions& consistency_limits, Positions& solution,
                        const IKCallbackFn& solution_callback, ErrorCode& error_code,
                        const Options& options = Options(),
                        const moveit::core::RobotState* context_state = nullptr) const override;

  // The other overloads call this one.
  bool searchPositionIK(const std::vector<Pose>& ik_poses, const Positions& ik_seed_state,
                        double timeout, const Positions& consistency_limits, Positions& solution,
                        const IKCallbackFn& solution_callback, const IKCostFn& cost_function,
                        ErrorCode& error_code, const Options& options = Options(),
                        const moveit::core::RobotState* context_state = nullptr) const override;

  bool getPositionFK(const std::vector<std::string>& link_names, const Positions& joint_angles,
                     std::vector<Pose>& poses) const override;

  [[nodiscard]] const std::vector<std::string>& getJointNames() const override {
    return joints_->jointNames();
  }
  [[nodiscard]] const std::vector<std::string>& getLinkNames() const override {
    return joints_->linkNames();
  }

  bool supportsGroup(const moveit::core::JointModelGroup* jmg,
                     std::string* error_text_out = nullptr) const override;

 private:
  // Throws std::invalid_argument if the poses, the seed or the limits are invalid.
  [[nodiscard]] Query query(const std::vector<Pose>& ik_poses, const Positions& ik_seed_state,
                            const Positions& consistency_limits, const Options& options) const;
  [[nodiscard]] generative_ik::ConsistencyLimits limitsOf(const Positions& consistency_limits,
                                                          const Options& options) const;
  [[nodiscard]] double timeLimit(double timeout) const;

  std::unique_ptr<const generative_ik::IKSolver> solver_;  // of the chains to all tips
  std::unique_ptr<const GroupJoints> joints_;
  std::unique_ptr<Server> server_;  // thread-safe; null: the node has nothing else to offer
  SearchSettings settings_;
  const moveit::core::JointModelGroup* joint_model_group_ = nullptr;
};

}  // namespace generative_ik_ros

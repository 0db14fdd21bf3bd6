// MoveIt's KinematicsBase for one planning group.
#pragma once

#include <generative_ik/deadline.hpp>
#include <memory>
#include <moveit/kinematics_base/kinematics_base.hpp>
#include <optional>
#include <string>
#include <vector>

#include "group_chain.hpp"
#include "group_tree.hpp"
#include "search.hpp"
#include "tree_search.hpp"

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
  // Both throw std::invalid_argument if the poses, the seed or the limits are invalid.
  [[nodiscard]] Query query(const Pose& ik_pose, const Positions& ik_seed_state,
                            const Positions& consistency_limits, const Options& options) const;
  [[nodiscard]] TreeQuery treeQuery(const std::vector<Pose>& ik_poses,
                                    const Positions& ik_seed_state,
                                    const Positions& consistency_limits,
                                    const Options& options) const;
  [[nodiscard]] generative_ik::ConsistencyLimits limitsOf(const Positions& consistency_limits,
                                                          const Options& options) const;
  [[nodiscard]] std::vector<generative_ik::Vector> allSolutions(
      const std::vector<Pose>& ik_poses, const Positions& ik_seed_state, const Options& options,
      const generative_ik::Deadline& deadline) const;
  [[nodiscard]] double timeLimit(double timeout) const;

  // One of both is there: a chain with one tip, or a tree with several, which has a server.
  std::unique_ptr<const GroupChain> chain_;
  std::unique_ptr<const generative_ik::IKSolver> solver_;  // of the chain
  std::unique_ptr<const GroupTree> tree_;
  const GroupJoints* joints_ = nullptr;  // of either
  std::unique_ptr<Server> server_;       // thread-safe
  SearchSettings settings_;
  generative_ik::Tolerance tolerance_;
  const moveit::core::JointModelGroup* joint_model_group_ = nullptr;
};

}  // namespace generative_ik_ros

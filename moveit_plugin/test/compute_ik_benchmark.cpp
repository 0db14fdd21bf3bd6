// Times move_group's service compute_ik for several planning groups, which may be one chain with
// different solvers. It is run by hand beside a running move_group; see docs/moveit.md:
//
//   compute_ik_benchmark GROUP... --ros-args -p poses:=100 -p random_seed:=0
//
// All groups must have the same joints and tips. A group of several arms has the tips of its
// subgroups. The service alone is timed by calls for a group that does not exist. Groups get the
// same poses and seed states, and take turns to be the first. Poses and seed states come from
// random configurations without collisions. Poses out of reach are such poses moved 1 to 20 %
// beyond the largest distance that any of 2000 random configurations has. -p box:='[x, y, z, dx,
// dy, dz]' puts a box into the planning scene: its centre and sides [m].

#include <urdf_parser/urdf_parser.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <moveit_msgs/srv/apply_planning_scene.hpp>
#include <moveit_msgs/srv/get_position_ik.hpp>
#include <moveit_msgs/srv/get_state_validity.hpp>
#include <random>
#include <rclcpp/rclcpp.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../plugin/moveit_headers.hpp"

namespace generative_ik_ros {
namespace {

using moveit::core::JointModelGroup;
using moveit::core::RobotModelPtr;
using moveit::core::RobotState;
using moveit_msgs::msg::MoveItErrorCodes;
using moveit_msgs::srv::ApplyPlanningScene;
using moveit_msgs::srv::GetPositionIK;
using moveit_msgs::srv::GetStateValidity;
using Clock = std::chrono::steady_clock;
using Positions = std::vector<double>;

constexpr std::chrono::seconds kLongest{20};
constexpr int kReachSamples = 2000;

enum class Kind { kAny, kAvoidCollisions, kOutOfReach };

// A tip of a group, and the link that the first joint of its chain moves.
struct Tip {
  const moveit::core::LinkModel* link;
  const moveit::core::LinkModel* base;
};

struct Task {
  Kind kind;
  std::vector<Eigen::Isometry3d> tips_in_model;
  Positions seed;
};

struct Result {
  std::vector<double> milliseconds;
  int solved = 0;
  int wrong = 0;             // solutions off the pose, outside the limits or in collision
  double largest_error = 0;  // [mm]
};

double percentile(std::vector<double> values, double share) {
  if (values.empty()) {
    return std::nan("");
  }
  std::sort(values.begin(), values.end());
  const auto last = static_cast<double>(values.size() - 1);
  return values[static_cast<std::size_t>(std::lround(share * last))];
}

class Benchmark {
 public:
  explicit Benchmark(std::vector<std::string> groups)
      : node_(std::make_shared<rclcpp::Node>("compute_ik_benchmark")),
        groups_(std::move(groups)),
        poses_(static_cast<int>(node_->declare_parameter("poses", 100))),
        out_of_reach_(static_cast<int>(node_->declare_parameter("out_of_reach", 20))),
        random_(static_cast<unsigned>(node_->declare_parameter("random_seed", 0))),
        box_(node_->declare_parameter("box", std::vector<double>{})),
        ik_(node_->create_client<GetPositionIK>("compute_ik")),
        scene_(node_->create_client<ApplyPlanningScene>("apply_planning_scene")),
        validity_(node_->create_client<GetStateValidity>("check_state_validity")),
        thread_([this] { rclcpp::spin(node_); }) {}

  ~Benchmark() {
    rclcpp::shutdown();
    thread_.join();
  }

  void run() {
    if (!ik_->wait_for_service(kLongest) || !validity_->wait_for_service(kLongest) ||
        !scene_->wait_for_service(kLongest)) {
      throw std::runtime_error(
          "move_group does not offer compute_ik, check_state_validity and apply_planning_scene");
    }
    loadModel();
    placeBox();
    for (const std::string& group : groups_) {
      call(group, {Kind::kAny, poses(valid()), valid()});  // warm up
    }
    std::map<Kind, std::map<std::string, Result>> results;
    std::vector<double> service;
    for (const Task& task : tasks()) {
      std::rotate(groups_.begin(), groups_.begin() + 1, groups_.end());
      for (const std::string& group : groups_) {
        measure(group, task, results[task.kind][group]);
      }
      service.push_back(millisecondsAlone(task));
    }
    print(results);
    std::printf("\nThe service alone: median %.2f ms, p90 %.2f ms\n", percentile(service, 0.5),
                percentile(service, 0.9));
  }

 private:
  template <typename Service>
  typename Service::Response::SharedPtr ask(rclcpp::Client<Service>& client,
                                            typename Service::Request::SharedPtr request) {
    auto pending = client.async_send_request(std::move(request));
    if (pending.future.wait_for(kLongest) != std::future_status::ready) {
      throw std::runtime_error(std::string("no reply from ") + client.get_service_name());
    }
    return pending.future.get();
  }

  void loadModel() {
    rclcpp::AsyncParametersClient client(node_, "move_group");
    auto future = client.get_parameters({"robot_description", "robot_description_semantic"});
    if (!client.wait_for_service(kLongest) ||
        future.wait_for(kLongest) != std::future_status::ready) {
      throw std::runtime_error("move_group does not tell its robot_description");
    }
    const std::vector<rclcpp::Parameter> found = future.get();
    const auto urdf = urdf::parseURDF(found.at(0).as_string());
    const auto srdf = std::make_shared<srdf::Model>();
    srdf->initString(*urdf, found.at(1).as_string());
    model_ = std::make_shared<moveit::core::RobotModel>(urdf, srdf);
    group_ = groupOf(groups_.front());
    for (const std::string& name : groups_) {
      if (groupOf(name)->getActiveJointModelNames() != group_->getActiveJointModelNames()) {
        throw std::runtime_error("'" + name + "' has other joints than '" + groups_.front() + "'");
      }
    }
  }

  void placeBox() {
    auto request = std::make_shared<ApplyPlanningScene::Request>();
    request->scene.is_diff = true;
    moveit_msgs::msg::CollisionObject object;
    object.header.frame_id = model_->getModelFrame();
    object.id = "compute_ik_benchmark";
    object.operation = moveit_msgs::msg::CollisionObject::REMOVE;
    if (box_.size() == 6) {
      object.operation = moveit_msgs::msg::CollisionObject::ADD;
      object.pose.position.x = box_[0];
      object.pose.position.y = box_[1];
      object.pose.position.z = box_[2];
      object.pose.orientation.w = 1.0;
      object.primitives.resize(1);
      object.primitives[0].type = shape_msgs::msg::SolidPrimitive::BOX;
      object.primitives[0].dimensions = {box_[3], box_[4], box_[5]};
      object.primitive_poses.resize(1);
      object.primitive_poses[0].orientation.w = 1.0;
    } else if (!box_.empty()) {
      throw std::runtime_error("box takes six numbers: x, y, z, dx, dy, dz");
    }
    request->scene.world.collision_objects.push_back(object);
    if (!ask(*scene_, std::move(request))->success && !box_.empty()) {
      throw std::runtime_error("move_group did not accept the box");
    }
  }

  const JointModelGroup* groupOf(const std::string& name) const {
    const JointModelGroup* group = model_->getJointModelGroup(name);
    if (group == nullptr) {
      throw std::runtime_error("'" + name + "' is not a planning group");
    }
    return group;
  }

  std::vector<Tip> tipsOf(const JointModelGroup* group) const {
    if (group->isChain()) {
      return {{group->getLinkModels().back(),
               group->getActiveJointModels().front()->getChildLinkModel()}};
    }
    std::vector<Tip> tips;
    for (const std::string& name : group->getSubgroupNames()) {
      // Groups of the same joints are subgroups of each other.
      if (groupOf(name)->isChain()) {
        const std::vector<Tip> more = tipsOf(groupOf(name));
        tips.insert(tips.end(), more.begin(), more.end());
      }
    }
    if (tips.empty()) {
      throw std::runtime_error("'" + group->getName() + "' is neither a chain nor made of groups");
    }
    return tips;
  }

  Positions drawn() {
    Positions q;
    for (const auto* joint : group_->getActiveJointModels()) {
      const auto& bounds = joint->getVariableBounds().front();
      const double lower = bounds.position_bounded_ ? bounds.min_position_ : -M_PI;
      const double upper = bounds.position_bounded_ ? bounds.max_position_ : M_PI;
      q.push_back(std::uniform_real_distribution<double>(lower, upper)(random_));
    }
    return q;
  }

  moveit_msgs::msg::RobotState messageOf(const Positions& q) const {
    moveit_msgs::msg::RobotState message;
    message.joint_state.name = group_->getActiveJointModelNames();
    message.joint_state.position = q;
    return message;
  }

  bool isValid(const moveit_msgs::msg::RobotState& state) {
    auto request = std::make_shared<GetStateValidity::Request>();
    request->robot_state = state;
    request->group_name = group_->getName();
    return ask(*validity_, std::move(request))->valid;
  }

  // A random configuration that move_group finds free of collisions.
  Positions valid() {
    Positions q = drawn();
    while (!isValid(messageOf(q))) {
      q = drawn();
    }
    return q;
  }

  std::vector<Eigen::Isometry3d> poses(const Positions& q) const {
    RobotState state(model_);
    state.setToDefaultValues();
    state.setJointGroupActivePositions(group_, q);
    state.update();
    std::vector<Eigen::Isometry3d> result;
    for (const Tip& tip : tipsOf(group_)) {
      result.push_back(state.getGlobalLinkTransform(tip.link));
    }
    return result;
  }

  std::vector<Task> tasks() {
    std::vector<Task> tasks;
    for (const Kind kind : {Kind::kAny, Kind::kAvoidCollisions}) {
      for (int i = 0; i < poses_; ++i) {
        tasks.push_back({kind, poses(valid()), valid()});
      }
    }
    const std::vector<Tip> tips = tipsOf(group_);
    RobotState state(model_);
    state.setToDefaultValues();
    state.update();
    std::vector<Eigen::Vector3d> bases;
    for (const Tip& tip : tips) {
      bases.push_back(state.getGlobalLinkTransform(tip.base).translation());
    }
    std::vector<double> reach(tips.size(), 0.0);
    for (int i = 0; i < kReachSamples; ++i) {
      const auto reached = poses(drawn());
      for (std::size_t k = 0; k < tips.size(); ++k) {
        reach[k] = std::max(reach[k], (reached[k].translation() - bases[k]).norm());
      }
    }
    std::uniform_real_distribution<double> beyond(1.01, 1.2);
    for (int i = 0; i < out_of_reach_; ++i) {
      Task task{Kind::kOutOfReach, poses(valid()), valid()};
      for (std::size_t k = 0; k < tips.size(); ++k) {
        auto place = task.tips_in_model[k].translation();
        const Eigen::Vector3d direction = (place - bases[k]).normalized();
        place = bases[k] + beyond(random_) * reach[k] * direction;
      }
      tasks.push_back(std::move(task));
    }
    return tasks;
  }

  geometry_msgs::msg::PoseStamped stamped(const Eigen::Isometry3d& tip_in_model) const {
    geometry_msgs::msg::PoseStamped message;
    message.header.frame_id = model_->getModelFrame();
    const Eigen::Quaterniond q(tip_in_model.linear());
    message.pose.position.x = tip_in_model.translation().x();
    message.pose.position.y = tip_in_model.translation().y();
    message.pose.position.z = tip_in_model.translation().z();
    message.pose.orientation.x = q.x();
    message.pose.orientation.y = q.y();
    message.pose.orientation.z = q.z();
    message.pose.orientation.w = q.w();
    return message;
  }

  GetPositionIK::Response::SharedPtr call(const std::string& group, const Task& task) {
    auto request = std::make_shared<GetPositionIK::Request>();
    request->ik_request.group_name = group;
    request->ik_request.robot_state = messageOf(task.seed);
    request->ik_request.avoid_collisions = task.kind == Kind::kAvoidCollisions;
    const std::vector<Tip> tips = tipsOf(groupOf(group));
    if (tips.size() == 1) {
      request->ik_request.pose_stamped = stamped(task.tips_in_model.front());
    } else {
      for (std::size_t k = 0; k < tips.size(); ++k) {
        request->ik_request.pose_stamped_vector.push_back(stamped(task.tips_in_model.at(k)));
        request->ik_request.ik_link_names.push_back(tips[k].link->getName());
      }
    }
    return ask(*ik_, std::move(request));
  }

  // What a call takes that no solver is asked for.
  double millisecondsAlone(const Task& task) {
    auto request = std::make_shared<GetPositionIK::Request>();
    request->ik_request.group_name = "there is no such group";
    request->ik_request.robot_state = messageOf(task.seed);
    request->ik_request.avoid_collisions = task.kind == Kind::kAvoidCollisions;
    const auto start = Clock::now();
    const auto response = ask(*ik_, std::move(request));
    const std::chrono::duration<double, std::milli> took = Clock::now() - start;
    if (response->error_code.val != MoveItErrorCodes::INVALID_GROUP_NAME) {
      throw std::runtime_error("move_group knows a group that does not exist");
    }
    return took.count();
  }

  void measure(const std::string& name, const Task& task, Result& result) {
    const auto start = Clock::now();
    const auto response = call(name, task);
    result.milliseconds.push_back(
        std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    if (response->error_code.val != MoveItErrorCodes::SUCCESS) {
      return;
    }
    ++result.solved;
    RobotState state(model_);
    state.setToDefaultValues();
    state.setVariablePositions(response->solution.joint_state.name,
                               response->solution.joint_state.position);
    state.update();
    const JointModelGroup* group = groupOf(name);
    const std::vector<Tip> tips = tipsOf(group);
    bool right = state.satisfiesBounds(group, 1e-6) &&
                 (task.kind != Kind::kAvoidCollisions || isValid(response->solution));
    for (std::size_t k = 0; k < tips.size(); ++k) {
      const Eigen::Isometry3d off =
          task.tips_in_model[k].inverse() * state.getGlobalLinkTransform(tips[k].link);
      const double error = 1e3 * off.translation().norm();
      result.largest_error = std::max(result.largest_error, error);
      right = right && error < 0.02 && Eigen::AngleAxisd(off.linear()).angle() < 2e-5;
    }
    result.wrong += right ? 0 : 1;
  }

  static void print(const std::map<Kind, std::map<std::string, Result>>& results) {
    const std::map<Kind, std::string> names = {{Kind::kAny, "any solution"},
                                               {Kind::kAvoidCollisions, "avoid_collisions"},
                                               {Kind::kOutOfReach, "out of reach"}};
    std::printf("| Call | Group | Solved | Wrong | Median [ms] | p90 [ms] | Error [mm] |\n");
    std::printf("|---|---|---|---|---|---|---|\n");
    for (const auto& [kind, groups] : results) {
      for (const auto& [group, result] : groups) {
        std::printf("| %s | %s | %d of %zu | %d | %.2f | %.2f | %.2g |\n", names.at(kind).c_str(),
                    group.c_str(), result.solved, result.milliseconds.size(), result.wrong,
                    percentile(result.milliseconds, 0.5), percentile(result.milliseconds, 0.9),
                    result.largest_error);
      }
    }
  }

  rclcpp::Node::SharedPtr node_;
  std::vector<std::string> groups_;
  int poses_;
  int out_of_reach_;
  std::mt19937 random_;
  std::vector<double> box_;
  rclcpp::Client<GetPositionIK>::SharedPtr ik_;
  rclcpp::Client<ApplyPlanningScene>::SharedPtr scene_;
  rclcpp::Client<GetStateValidity>::SharedPtr validity_;
  RobotModelPtr model_;
  const JointModelGroup* group_ = nullptr;  // the first one: its joints are those of all
  std::thread thread_;
};

}  // namespace
}  // namespace generative_ik_ros

int main(int argc, char** argv) {
  rclcpp::init(argc, argv);
  std::vector<std::string> groups = rclcpp::remove_ros_arguments(argc, argv);
  groups.erase(groups.begin());
  if (groups.empty()) {
    std::fprintf(stderr, "usage: compute_ik_benchmark GROUP... --ros-args -p poses:=100\n");
    return 2;
  }
  try {
    generative_ik_ros::Benchmark(groups).run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "compute_ik_benchmark: %s\n", error.what());
    return 1;
  }
  return 0;
}

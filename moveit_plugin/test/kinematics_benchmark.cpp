// Times kinematics plugins side by side as MoveIt calls them for compute_ik: RobotState::setFromIK
// with the pose of a random configuration, from the random configuration before. It is run by
// hand, and needs no move_group; see docs/moveit.md:
//
//   kinematics_benchmark URDF BASE_LINK TIP_LINK PLUGIN... [--ros-args -p poses:=500]
//
// Plugins take turns to be the first. All get the same poses, which are reachable, and seed
// states. Timeouts are 0.05 s.

#include <urdf_parser/urdf_parser.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <pluginlib/class_loader.hpp>
#include <rclcpp/rclcpp.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "../plugin/moveit_headers.hpp"

namespace {

using moveit::core::RobotModel;
using moveit::core::RobotState;
using Loader = pluginlib::ClassLoader<kinematics::KinematicsBase>;

constexpr char kGroup[] = "arm";
constexpr double kTimeout = 0.05;    // [s]
constexpr double kTolerance = 1e-4;  // of elements of the tip's pose

struct Solver {
  std::string plugin;
  std::shared_ptr<RobotModel> model;
  std::vector<double> milliseconds;
  int solved = 0;
};

std::shared_ptr<RobotModel> modelOf(const std::string& file, const std::string& base,
                                    const std::string& tip) {
  const urdf::ModelInterfaceSharedPtr urdf = urdf::parseURDFFile(file);
  if (urdf == nullptr) {
    throw std::invalid_argument("no URDF: " + file);
  }
  const auto srdf = std::make_shared<srdf::Model>();
  srdf->initString(*urdf, "<robot name='" + urdf->getName() + "'><group name='" + kGroup +
                              "'><chain base_link='" + base + "' tip_link='" + tip +
                              "'/></group></robot>");
  return std::make_shared<RobotModel>(urdf, srdf);
}

void load(Solver& one, Loader& loader, const rclcpp::Node::SharedPtr& node,
          const std::string& base, const std::string& tip) {
  std::map<std::string, moveit::core::SolverAllocatorFn> allocators;
  allocators[kGroup] = [&](const moveit::core::JointModelGroup*) {
    const std::shared_ptr<kinematics::KinematicsBase> plugin =
        loader.createSharedInstance(one.plugin);
    if (!plugin->initialize(node, *one.model, kGroup, base, {tip}, 0.1)) {
      throw std::runtime_error(one.plugin + " does not take the group");
    }
    plugin->setDefaultTimeout(kTimeout);
    return plugin;
  };
  one.model->setKinematicsAllocators(allocators);
}

void solve(Solver& one, const std::vector<double>& goal, const std::vector<double>& seed,
           const std::string& tip) {
  RobotState state(one.model);
  state.setToDefaultValues();
  const auto* group = one.model->getJointModelGroup(kGroup);
  state.setJointGroupPositions(group, goal);
  state.update();
  const Eigen::Isometry3d target = state.getGlobalLinkTransform(tip);
  state.setJointGroupPositions(group, seed);
  state.update();
  const auto start = std::chrono::steady_clock::now();
  const bool solved = state.setFromIK(group, target, tip, kTimeout);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  one.milliseconds.push_back(took.count());
  state.update();
  const bool right = state.getGlobalLinkTransform(tip).isApprox(target, kTolerance) &&
                     state.satisfiesBounds(group);
  if (solved && !right) {
    throw std::runtime_error(one.plugin + " has returned what is no solution");
  }
  one.solved += solved ? 1 : 0;
}

void report(Solver& one) {
  std::vector<double>& times = one.milliseconds;
  std::sort(times.begin(), times.end());
  std::printf("%-40s median %.3f ms, 90 %% %.3f ms, solved %d of %zu\n", one.plugin.c_str(),
              times[times.size() / 2], times[times.size() * 9 / 10], one.solved, times.size());
}

void run(const std::vector<std::string>& arguments) {
  if (arguments.size() < 5) {
    throw std::invalid_argument("usage: " + arguments[0] + " URDF BASE_LINK TIP_LINK PLUGIN...");
  }
  const auto node = std::make_shared<rclcpp::Node>("kinematics_benchmark");
  const auto poses = node->declare_parameter<int>("poses", 500);
  Loader loader("moveit_core", "kinematics::KinematicsBase");
  std::vector<Solver> solvers;
  for (std::size_t i = 4; i < arguments.size(); ++i) {
    solvers.push_back({arguments[i], modelOf(arguments[1], arguments[2], arguments[3]), {}, 0});
  }
  for (Solver& one : solvers) {
    load(one, loader, node, arguments[2], arguments[3]);
  }
  RobotState random(solvers.front().model);
  const auto* group = solvers.front().model->getJointModelGroup(kGroup);
  std::vector<double> goal;
  std::vector<double> seed;
  random.setToRandomPositions(group);
  random.copyJointGroupPositions(group, goal);
  for (int i = 0; i < poses; ++i) {
    seed = goal;
    random.setToRandomPositions(group);
    random.copyJointGroupPositions(group, goal);
    for (std::size_t k = 0; k < solvers.size(); ++k) {
      solve(solvers[(static_cast<std::size_t>(i) + k) % solvers.size()], goal, seed, arguments[3]);
    }
  }
  for (Solver& one : solvers) {
    report(one);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(rclcpp::init_and_remove_ros_arguments(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  rclcpp::shutdown();
  return 0;
}

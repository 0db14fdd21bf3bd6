// Times kinematics plugins side by side, as MoveIt calls them. It is run by hand, and needs no
// move_group; see docs/moveit.md:
//
//   kinematics_benchmark URDF BASE_LINK TIP_LINK[,TIP_LINK...] PLUGIN...
//     [--ros-args -p poses:=500]
//
// Poses are those of random configurations, and seed states are so far from these in each joint,
// or random ones. Each is asked for by searchPositionIK, and by RobotState::setFromIK, which
// compute_ik calls: for any solution, within consistency limits that the known one keeps, with a
// callback that accepts all, and with one that refuses the first. Plugins take turns to be the
// first, and all get the same. A plugin that does not take a group of several tips solves each
// tip's. Timeouts are 0.05 s.

#include <urdf_parser/urdf_parser.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <pluginlib/class_loader.hpp>
#include <random>
#include <rclcpp/rclcpp.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "../plugin/moveit_headers.hpp"
#include "../plugin/pose_message.hpp"

namespace {

using moveit::core::JointModelGroup;
using moveit::core::RobotModel;
using moveit::core::RobotState;
using Loader = pluginlib::ClassLoader<kinematics::KinematicsBase>;
using Positions = std::vector<double>;

constexpr char kGroup[] = "arm";
constexpr double kTimeout = 0.05;    // [s]
constexpr double kTolerance = 1e-4;  // of elements of the tip's pose
// What consistency limits leave beyond the known solution [rad or m].
constexpr double kRoom = 0.1;
constexpr double kAnywhere = std::numeric_limits<double>::infinity();
constexpr std::array<double, 3> kDistances = {0.02, 0.25, kAnywhere};  // [rad or m]

struct Variant {
  const char* name;
  bool limited;
  bool called;
  int refused;  // candidates that the callback refuses at first
};

constexpr std::array<Variant, 5> kVariants = {{
    {"any solution", false, false, 0},
    {"limits", true, false, 0},
    {"callback", false, true, 0},
    {"limits and callback", true, true, 0},
    {"callback refuses one", false, true, 1},
}};

struct Robot {
  std::string urdf;
  std::string base;
  std::vector<std::string> tips;
};

struct Solver {
  std::string plugin;
  std::shared_ptr<RobotModel> model;
};

// What is asked for: the poses of the tips with the group's joints at a goal, from a seed state.
struct Question {
  Positions goal;
  Positions seed;
  Variant variant;
};

struct Times {
  std::vector<double> microseconds;
  std::vector<double> moves;  // the largest of each solution's [rad or m]
};

std::string subgroup(std::size_t tip) {
  return kGroup + std::to_string(tip);
}

std::vector<std::string> splitAtCommas(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) {
    words.push_back(word);
  }
  return words;
}

std::shared_ptr<RobotModel> modelOf(const Robot& robot) {
  const urdf::ModelInterfaceSharedPtr urdf = urdf::parseURDFFile(robot.urdf);
  if (urdf == nullptr) {
    throw std::invalid_argument("no URDF: " + robot.urdf);
  }
  std::string chains;
  std::string together;
  for (std::size_t k = 0; k < robot.tips.size(); ++k) {
    const std::string name = robot.tips.size() == 1 ? kGroup : subgroup(k);
    chains += "<group name='" + name + "'><chain base_link='" + robot.base + "' tip_link='" +
              robot.tips[k] + "'/></group>";
    together += "<group name='" + name + "'/>";
  }
  if (robot.tips.size() > 1) {
    chains += std::string("<group name='") + kGroup + "'>" + together + "</group>";
  }
  const auto srdf = std::make_shared<srdf::Model>();
  srdf->initString(*urdf, "<robot name='" + urdf->getName() + "'>" + chains + "</robot>");
  return std::make_shared<RobotModel>(urdf, srdf);
}

// The plugin for a group; null if it does not take that.
std::shared_ptr<kinematics::KinematicsBase> loaded(const Solver& one, Loader& loader,
                                                   const rclcpp::Node::SharedPtr& node,
                                                   const std::string& group, const Robot& robot,
                                                   const std::vector<std::string>& tips) {
  const std::shared_ptr<kinematics::KinematicsBase> plugin =
      loader.createSharedInstance(one.plugin);
  if (!plugin->initialize(node, *one.model, group, robot.base, tips, 0.1)) {
    return nullptr;
  }
  plugin->setDefaultTimeout(kTimeout);
  return plugin;
}

void load(const Solver& one, Loader& loader, const rclcpp::Node::SharedPtr& node,
          const Robot& robot) {
  std::map<std::string, moveit::core::SolverAllocatorFn> allocators;
  const auto add = [&](const std::string& group, const std::vector<std::string>& tips) {
    const auto plugin = loaded(one, loader, node, group, robot, tips);
    if (plugin != nullptr) {
      allocators[group] = [plugin](const JointModelGroup*) { return plugin; };
    }
    return plugin != nullptr;
  };
  const bool whole = add(kGroup, robot.tips);
  for (std::size_t k = 0; !whole && k < robot.tips.size() && robot.tips.size() > 1; ++k) {
    add(subgroup(k), {robot.tips[k]});
  }
  if (allocators.empty()) {
    throw std::runtime_error(one.plugin + " does not take the group");
  }
  one.model->setKinematicsAllocators(allocators);
}

Positions limitsOf(const Question& question, const JointModelGroup& group) {
  Positions limits;
  const auto& joints = group.getActiveJointModels();
  for (std::size_t i = 0; i < question.goal.size(); ++i) {
    limits.push_back(joints[i]->distance(&question.goal[i], &question.seed[i]) + kRoom);
  }
  return limits;
}

double largestMove(const Positions& q, const Question& question, const JointModelGroup& group) {
  double largest = 0.0;
  const auto& joints = group.getActiveJointModels();
  for (std::size_t i = 0; i < q.size(); ++i) {
    largest = std::max(largest, joints[i]->distance(&q[i], &question.seed[i]));
  }
  return largest;
}

// Asks through the state, as compute_ik does.
bool setFromIK(RobotState& state, const JointModelGroup& group, const Question& question,
               const Robot& robot, const EigenSTL::vector_Isometry3d& targets) {
  int refused = 0;
  moveit::core::GroupStateValidityCallbackFn callback;
  if (question.variant.called) {
    callback = [&](RobotState*, const JointModelGroup*, const double*) {
      return refused++ >= question.variant.refused;
    };
  }
  std::vector<Positions> limits;
  if (question.variant.limited) {
    // MoveIt hands them to the group's solver, or a vector to each of its subgroups'.
    limits.push_back(limitsOf(question, group));
    if (group.getSolverInstance() == nullptr) {
      const Positions all = limits.front();
      limits.clear();
      std::size_t first = 0;
      for (std::size_t k = 0; k < robot.tips.size(); ++k) {
        const std::size_t size = state.getJointModelGroup(subgroup(k))->getActiveVariableCount();
        limits.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(first),
                            all.begin() + static_cast<std::ptrdiff_t>(first + size));
        first += size;
      }
    }
  }
  return state.setFromIK(&group, targets, robot.tips, limits, kTimeout, callback);
}

// Asks the plugin itself.
bool searchPositionIK(RobotState& state, const JointModelGroup& group, const Question& question,
                      const std::vector<geometry_msgs::msg::Pose>& poses) {
  int refused = 0;
  kinematics::KinematicsBase::IKCallbackFn callback;
  if (question.variant.called) {
    callback = [&](const geometry_msgs::msg::Pose&, const Positions&,
                   moveit_msgs::msg::MoveItErrorCodes& code) {
      code.val = refused++ >= question.variant.refused ? code.SUCCESS : code.NO_IK_SOLUTION;
    };
  }
  const Positions limits = question.variant.limited ? limitsOf(question, group) : Positions();
  Positions solution;
  moveit_msgs::msg::MoveItErrorCodes code;
  const auto& solver = *group.getSolverInstance();
  const bool solved =
      poses.size() == 1 && !callback
          ? solver.searchPositionIK(poses[0], question.seed, kTimeout, limits, solution, code)
      : poses.size() == 1 ? solver.searchPositionIK(poses[0], question.seed, kTimeout, limits,
                                                    solution, callback, code)
                          : solver.searchPositionIK(poses, question.seed, kTimeout, limits,
                                                    solution, callback, code);
  if (solved) {
    state.setJointGroupPositions(&group, solution);
  }
  return solved;
}

void solve(const Solver& one, const Question& question, const Robot& robot, bool by_state,
           Times& times) {
  RobotState state(one.model);
  state.setToDefaultValues();
  const JointModelGroup& group = *one.model->getJointModelGroup(kGroup);
  state.setJointGroupPositions(&group, question.goal);
  state.update();
  EigenSTL::vector_Isometry3d targets;
  std::vector<geometry_msgs::msg::Pose> poses;
  for (const std::string& tip : robot.tips) {
    targets.push_back(state.getGlobalLinkTransform(tip));
    poses.push_back(generative_ik_ros::messageOf(
        state.getGlobalLinkTransform(robot.base).inverse() * targets.back()));
  }
  state.setJointGroupPositions(&group, question.seed);
  state.update();
  const auto start = std::chrono::steady_clock::now();
  const bool solved = by_state ? setFromIK(state, group, question, robot, targets)
                               : searchPositionIK(state, group, question, poses);
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
  times.microseconds.push_back(took.count());
  if (!solved) {
    return;
  }
  state.update();
  for (std::size_t k = 0; k < robot.tips.size(); ++k) {
    if (!state.getGlobalLinkTransform(robot.tips[k]).isApprox(targets[k], kTolerance) ||
        !state.satisfiesBounds(&group)) {
      throw std::runtime_error(one.plugin + " has returned what is no solution");
    }
  }
  Positions q;
  state.copyJointGroupPositions(&group, q);
  times.moves.push_back(largestMove(q, question, group));
}

Question drawn(const JointModelGroup& group, double distance, std::mt19937& random) {
  Question question;
  for (const moveit::core::JointModel* joint : group.getActiveJointModels()) {
    const moveit::core::VariableBounds& bounds = joint->getVariableBounds().front();
    const double lower = bounds.position_bounded_ ? bounds.min_position_ : -M_PI;
    const double upper = bounds.position_bounded_ ? bounds.max_position_ : M_PI;
    std::uniform_real_distribution<double> anywhere(lower, upper);
    const double goal = anywhere(random);
    const double apart = std::uniform_real_distribution<double>(-1.0, 1.0)(random);
    question.goal.push_back(goal);
    question.seed.push_back(std::isinf(distance)
                                ? anywhere(random)
                                : std::clamp(goal + distance * apart, lower, upper));
  }
  return question;
}

double quantile(std::vector<double> numbers, double share) {
  if (numbers.empty()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers[static_cast<std::size_t>(share * static_cast<double>(numbers.size() - 1))];
}

void compare(const std::vector<Solver>& solvers, const Robot& robot, double distance,
             const Variant& variant, bool by_state, std::int64_t poses) {
  std::vector<Times> times(solvers.size());
  std::mt19937 random(1);
  const JointModelGroup& group = *solvers.front().model->getJointModelGroup(kGroup);
  for (std::int64_t i = 0; i < poses; ++i) {
    Question question = drawn(group, distance, random);
    question.variant = variant;
    for (std::size_t k = 0; k < solvers.size(); ++k) {
      const std::size_t at = (static_cast<std::size_t>(i) + k) % solvers.size();
      const bool whole =
          solvers[at].model->getJointModelGroup(kGroup)->getSolverInstance() != nullptr;
      if (by_state || whole) {
        solve(solvers[at], question, robot, by_state, times[at]);
      }
    }
  }
  std::ostringstream apart;
  apart << distance;
  for (std::size_t k = 0; k < solvers.size(); ++k) {
    const Times& one = times[k];
    if (!one.microseconds.empty()) {
      std::printf("| %s | %s | %s | %s | %.1f | %.1f | %zu of %zu | %.3f |\n",
                  by_state ? "setFromIK" : "searchPositionIK",
                  std::isinf(distance) ? "anywhere" : apart.str().c_str(), variant.name,
                  solvers[k].plugin.c_str(), quantile(one.microseconds, 0.5),
                  quantile(one.microseconds, 0.9), one.moves.size(), one.microseconds.size(),
                  quantile(one.moves, 0.5));
    }
  }
}

void run(const std::vector<std::string>& arguments) {
  if (arguments.size() < 5) {
    throw std::invalid_argument("usage: " + arguments[0] +
                                " URDF BASE_LINK TIP_LINK[,TIP_LINK...] PLUGIN...");
  }
  const auto node = std::make_shared<rclcpp::Node>("kinematics_benchmark");
  const std::int64_t poses = node->declare_parameter<int>("poses", 500);
  const Robot robot = {arguments[1], arguments[2], splitAtCommas(arguments[3])};
  Loader loader("moveit_core", "kinematics::KinematicsBase");
  std::vector<Solver> solvers;
  for (std::size_t i = 4; i < arguments.size(); ++i) {
    solvers.push_back({arguments[i], modelOf(robot)});
    load(solvers.back(), loader, node, robot);
  }
  std::printf(
      "| Call | Seed state apart [rad or m] | Asked for | Plugin | Median [us] | 90 %% [us] | "
      "Solved |"
      " Largest joint motion, median |\n|---|---|---|---|---|---|---|---|\n");
  for (const bool by_state : {false, true}) {
    for (const double distance : kDistances) {
      for (const Variant& variant : kVariants) {
        compare(solvers, robot, distance, variant, by_state, poses);
      }
    }
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

// The plugin as loaded by MoveIt, with servers that are absent, silent, wrong or correct.

#include <gtest/gtest.h>
#include <urdf_parser/urdf_parser.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <generative_ik_ros/srv/get_ik_solutions.hpp>
#include <iterator>
#include <map>
#include <pluginlib/class_loader.hpp>
#include <random>
#include <rclcpp/rclcpp.hpp>
#include <regex>
#include <thread>

#include "../plugin/moveit_headers.hpp"

namespace generative_ik_ros {
namespace {

using GetIKSolutions = srv::GetIKSolutions;
using moveit_msgs::msg::MoveItErrorCodes;
using Positions = std::vector<double>;
using Model = std::shared_ptr<moveit::core::RobotModel>;
using Seconds = std::chrono::duration<double>;

constexpr char kGroup[] = "arm";
// Tolerated delay on a busy machine [s].
constexpr double kSlack = 0.05;

// A service with its own node and thread that passes each request to a handler.
class Server {
 public:
  using Handler = std::function<void(const GetIKSolutions::Request&, GetIKSolutions::Response&)>;

  explicit Server(Handler handler) : node_(std::make_shared<rclcpp::Node>("generative_ik")) {
    service_ = node_->create_service<GetIKSolutions>(
        "generative_ik/get_ik_solutions",
        [this, handler = std::move(handler)](
            const std::shared_ptr<GetIKSolutions::Request>& request,
            const std::shared_ptr<GetIKSolutions::Response>& response) {
          ++requests_;
          handler(*request, *response);
        });
    executor_.add_node(node_);
    thread_ = std::thread(
        [this, done = stop_.get_future().share()] { executor_.spin_until_future_complete(done); });
  }

  ~Server() {
    stop_.set_value();
    executor_.cancel();
    thread_.join();
  }

  [[nodiscard]] int requests() const { return requests_; }

 private:
  rclcpp::Node::SharedPtr node_;
  rclcpp::Service<GetIKSolutions>::SharedPtr service_;
  rclcpp::executors::SingleThreadedExecutor executor_;
  std::atomic<int> requests_{0};
  std::promise<void> stop_;
  std::thread thread_;
};

class PluginTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const urdf::ModelInterfaceSharedPtr urdf = urdf::parseURDFFile(PANDA_URDF);
    const auto srdf = std::make_shared<srdf::Model>();
    srdf->initString(*urdf, std::string("<robot name='panda'><group name='") + kGroup +
                                "'><chain base_link='panda_link0' tip_link='panda_link8'/>"
                                "</group></robot>");
    model_ = std::make_shared<moveit::core::RobotModel>(urdf, srdf);
    loader_ = std::make_unique<pluginlib::ClassLoader<kinematics::KinematicsBase>>(
        "moveit_core", "kinematics::KinematicsBase");
  }

  static void TearDownTestSuite() {
    model_.reset();
    loader_.reset();
  }

  void load(const std::vector<rclcpp::Parameter>& parameters = {}) {
    std::vector<rclcpp::Parameter> prefixed;
    for (const rclcpp::Parameter& parameter : parameters) {
      prefixed.emplace_back(
          std::string("robot_description_kinematics.") + kGroup + "." + parameter.get_name(),
          parameter.get_parameter_value());
    }
    // Never spun, like MoveIt's node while it waits for a result.
    node_ = std::make_shared<rclcpp::Node>("move_group",
                                           rclcpp::NodeOptions().parameter_overrides(prefixed));
    plugin_ = loader_->createUniqueInstance("generative_ik_ros/GenerativeIKPlugin");
    ASSERT_TRUE(plugin_->initialize(node_, *model_, kGroup, "panda_link0", {"panda_link8"}, 0.1));
  }

  void loadAlone() { load({rclcpp::Parameter("service", "")}); }

  Positions randomPositions() {
    Positions q;
    for (const auto* joint : model_->getJointModelGroup(kGroup)->getActiveJointModels()) {
      const auto& bounds = joint->getVariableBounds()[0];
      q.push_back(std::uniform_real_distribution<double>(bounds.min_position_,
                                                         bounds.max_position_)(random_));
    }
    return q;
  }

  geometry_msgs::msg::Pose poseAt(const Positions& q) const {
    std::vector<geometry_msgs::msg::Pose> poses;
    EXPECT_TRUE(plugin_->getPositionFK({"panda_link8"}, q, poses));
    return poses.at(0);
  }

  void expectSolves(const Positions& q, const geometry_msgs::msg::Pose& target) const {
    expectNear(poseAt(q), target);
    EXPECT_TRUE(model_->getJointModelGroup(kGroup)->satisfiesPositionBounds(q.data()));
  }

  // Two Pandas on one table, the names of whose links and joints begin with their side.
  static std::string twoArmsUrdf() {
    std::ifstream file(PANDA_URDF);
    const std::string panda((std::istreambuf_iterator<char>(file)), {});
    std::string robot = "<robot name='two'><link name='world'/>";
    for (const std::string side : {"left", "right"}) {
      const std::size_t begin = panda.find("<link");
      const std::string body =
          std::regex_replace(panda.substr(begin, panda.rfind("</robot>") - begin),
                             std::regex("<material[^>]*/>"), "");
      robot += std::regex_replace(body, std::regex("panda_"), side + "_panda_");
      robot += "<joint name='" + side +
               "_mount' type='fixed'><parent link='world'/><child link='" + side +
               "_panda_link0'/><origin xyz='0 " + (side == "left" ? "0.4" : "-0.4") +
               " 0'/></joint>";
    }
    return robot + "</robot>";
  }

  static std::shared_ptr<moveit::core::RobotModel> twoArms(const std::string& more_groups = "") {
    std::string groups;
    for (const std::string side : {"left", "right"}) {
      groups += "<group name='" + side + "'><chain base_link='" + side +
                "_panda_link0' tip_link='" + side + "_panda_link8'/></group>";
    }
    groups += "<group name='both'><group name='left'/><group name='right'/></group>" + more_groups;
    const auto urdf = urdf::parseURDF(twoArmsUrdf());
    const auto srdf = std::make_shared<srdf::Model>();
    srdf->initString(*urdf, "<robot name='two'>" + groups + "</robot>");
    return std::make_shared<moveit::core::RobotModel>(urdf, srdf);
  }

  // Loads the plugin for the group of both arms as MoveIt's loader does, which names one link.
  // Poses are in the left arm's base link, as MoveIt has it for this group.
  bool loadBoth(const moveit::core::RobotModel& two,
                const std::vector<rclcpp::Parameter>& parameters = {}) {
    std::vector<rclcpp::Parameter> prefixed;
    for (const rclcpp::Parameter& parameter : parameters) {
      prefixed.emplace_back("robot_description_kinematics.both." + parameter.get_name(),
                            parameter.get_parameter_value());
    }
    node_ = std::make_shared<rclcpp::Node>("move_group",
                                           rclcpp::NodeOptions().parameter_overrides(prefixed));
    plugin_ = loader_->createUniqueInstance("generative_ik_ros/GenerativeIKPlugin");
    return plugin_->initialize(node_, two, "both", "left_panda_link0", {"right_panda_link8"}, 0.1);
  }

  // Poses of both tips in the left base, which is at (0, 0.4, 0) in the world without a rotation.
  static std::vector<geometry_msgs::msg::Pose> posesOf(moveit::core::RobotState& state) {
    state.update();
    std::vector<geometry_msgs::msg::Pose> poses;
    for (const char* tip : {"left_panda_link8", "right_panda_link8"}) {
      const Eigen::Isometry3d& pose = state.getGlobalLinkTransform(tip);
      const Eigen::Quaterniond turned(pose.linear());
      poses.emplace_back();
      poses.back().position.x = pose.translation().x();
      poses.back().position.y = pose.translation().y() - 0.4;
      poses.back().position.z = pose.translation().z();
      poses.back().orientation.x = turned.x();
      poses.back().orientation.y = turned.y();
      poses.back().orientation.z = turned.z();
      poses.back().orientation.w = turned.w();
    }
    return poses;
  }

  static Positions positionsOf(const moveit::core::RobotState& state) {
    Positions positions;
    state.copyJointGroupPositions("both", positions);
    return positions;
  }

  // Poses of both tips in the left base, by MoveIt's model.
  static std::vector<geometry_msgs::msg::Pose> reached(const Model& two, const Positions& q) {
    moveit::core::RobotState state(two);
    state.setToDefaultValues();
    state.setJointGroupPositions("both", q);
    return posesOf(state);
  }

  static void expectReaches(const Model& two, const Positions& q,
                            const std::vector<geometry_msgs::msg::Pose>& targets) {
    const std::vector<geometry_msgs::msg::Pose> poses = reached(two, q);
    for (std::size_t k = 0; k < poses.size(); ++k) {
      expectNear(poses[k], targets[k]);
    }
    EXPECT_TRUE(two->getJointModelGroup("both")->satisfiesPositionBounds(q.data()));
  }

  static double distance(const geometry_msgs::msg::Pose& one,
                         const geometry_msgs::msg::Pose& other) {
    return std::hypot(one.position.x - other.position.x, one.position.y - other.position.y,
                      one.position.z - other.position.z);
  }

  static double angle(const geometry_msgs::msg::Pose& one, const geometry_msgs::msg::Pose& other) {
    const auto& a = one.orientation;
    const auto& b = other.orientation;
    return Eigen::Quaterniond(a.w, a.x, a.y, a.z)
        .angularDistance(Eigen::Quaterniond(b.w, b.x, b.y, b.z));
  }

  static void expectNear(const geometry_msgs::msg::Pose& one,
                         const geometry_msgs::msg::Pose& other) {
    EXPECT_LT(distance(one, other), 1.1e-5);
    EXPECT_LT(angle(one, other), 1.1e-5);
  }

  static inline std::shared_ptr<moveit::core::RobotModel> model_;
  static inline std::unique_ptr<pluginlib::ClassLoader<kinematics::KinematicsBase>> loader_;
  rclcpp::Node::SharedPtr node_;
  pluginlib::UniquePtr<kinematics::KinematicsBase> plugin_;
  std::mt19937 random_{7};
  MoveItErrorCodes error_;
  Positions solution_;
};

void answer(const GetIKSolutions::Request& request, GetIKSolutions::Response& response,
            const Positions& positions) {
  response.status = GetIKSolutions::Response::SOLVED;
  response.joint_names = request.seed_joint_names;
  response.positions = positions;
}

TEST_F(PluginTest, ReportsNamesAndFrames) {
  loadAlone();
  EXPECT_EQ(plugin_->getJointNames(),
            model_->getJointModelGroup(kGroup)->getActiveJointModelNames());
  EXPECT_EQ(plugin_->getLinkNames(), model_->getJointModelGroup(kGroup)->getLinkModelNames());
  EXPECT_EQ(plugin_->getBaseFrame(), "panda_link0");
  EXPECT_EQ(plugin_->getTipFrame(), "panda_link8");
  EXPECT_EQ(plugin_->getGroupName(), kGroup);
}

TEST_F(PluginTest, SolvesWithoutAServer) {
  load({rclcpp::Parameter("startup_wait", 0.0)});
  for (int i = 0; i < 20; ++i) {
    const auto target = poseAt(randomPositions());
    ASSERT_TRUE(plugin_->searchPositionIK(target, randomPositions(), 2.0, solution_, error_));
    EXPECT_EQ(error_.val, MoveItErrorCodes::SUCCESS);
    expectSolves(solution_, target);
  }
}

TEST_F(PluginTest, ReturnsManySolutionsNearestFirst) {
  loadAlone();
  plugin_->setDefaultTimeout(2.0);
  const Positions seed = randomPositions();
  const auto target = poseAt(randomPositions());
  std::vector<Positions> solutions;
  kinematics::KinematicsResult result{};
  ASSERT_TRUE(plugin_->getPositionIK({target}, seed, solutions, result, {}));
  EXPECT_EQ(result.kinematic_error, kinematics::KinematicErrors::OK);
  EXPECT_GT(solutions.size(), 10U);
  double last = 0.0;
  for (const Positions& q : solutions) {
    expectSolves(q, target);
    double distance = 0.0;
    for (std::size_t i = 0; i < q.size(); ++i) {
      distance += std::abs(q[i] - seed[i]);
    }
    EXPECT_GE(distance, last - 1e-9);
    last = distance;
  }
}

TEST_F(PluginTest, ReturnsASeedThatSolves) {
  loadAlone();
  for (int i = 0; i < 20; ++i) {
    const Positions seed = randomPositions();
    ASSERT_TRUE(plugin_->getPositionIK(poseAt(seed), seed, solution_, error_));
    for (std::size_t j = 0; j < seed.size(); ++j) {
      EXPECT_NEAR(solution_[j], seed[j], 1e-12);
    }
  }
}

// The square root of the sum of all joints' squared motions [rad].
double distanceOf(const Positions& q, const Positions& seed) {
  double sum = 0.0;
  for (std::size_t j = 0; j < q.size(); ++j) {
    sum += (q[j] - seed[j]) * (q[j] - seed[j]);
  }
  return std::sqrt(sum);
}

TEST_F(PluginTest, OffersTheNearestFirst) {
  loadAlone();
  int nearer_than_far = 0;
  for (int i = 0; i < 40; ++i) {
    const Positions seed = randomPositions();
    Positions goal = randomPositions();
    for (std::size_t j = 0; j < 7 && i < 20; ++j) {
      goal[j] = seed[j] + 0.1 * (goal[j] - seed[j]);
    }
    const auto target = poseAt(goal);
    Positions first;
    const auto accept = [&](const geometry_msgs::msg::Pose&, const Positions& q,
                            MoveItErrorCodes& error) {
      first = first.empty() ? q : first;
      error.val = MoveItErrorCodes::SUCCESS;
    };
    Positions limits;
    for (std::size_t j = 0; j < 7; ++j) {
      limits.push_back(std::abs(goal[j] - seed[j]) + 1e-3);
    }
    ASSERT_TRUE(plugin_->searchPositionIK(target, seed, 1.0, limits, solution_, accept, error_));
    EXPECT_EQ(solution_, first);
    EXPECT_LE(distanceOf(first, seed), 1.001 * distanceOf(goal, seed));
    Positions free;
    ASSERT_TRUE(plugin_->searchPositionIK(target, seed, 1.0, free, error_));
    std::vector<Positions> all;
    kinematics::KinematicsResult result{};
    ASSERT_TRUE(plugin_->getPositionIK({target}, seed, all, result, {}));
    const bool nearer = std::any_of(all.begin(), all.end(), [&](const Positions& q) {
      return distanceOf(q, seed) < 0.99 * distanceOf(free, seed);
    });
    EXPECT_FALSE(nearer && i < 20) << "of near ones it is the nearest";
    nearer_than_far += nearer ? 1 : 0;
  }
  EXPECT_LE(nearer_than_far, 5) << "two may be about as near";
}

TEST_F(PluginTest, TestsCandidatesOnThisThreadUntilOneIsAccepted) {
  loadAlone();
  const auto target = poseAt(randomPositions());
  const auto caller = std::this_thread::get_id();
  int calls = 0;
  const auto fourth = [&](const geometry_msgs::msg::Pose& pose, const Positions& q,
                          MoveItErrorCodes& error) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(pose, target);
    EXPECT_EQ(q.size(), 7U);
    error.val = ++calls == 4 ? MoveItErrorCodes::SUCCESS : MoveItErrorCodes::GOAL_IN_COLLISION;
  };
  ASSERT_TRUE(
      plugin_->searchPositionIK(target, randomPositions(), 2.0, solution_, fourth, error_));
  EXPECT_EQ(calls, 4);
  expectSolves(solution_, target);
}

TEST_F(PluginTest, TimesOutIfNothingIsAccepted) {
  loadAlone();
  const auto never = [](const geometry_msgs::msg::Pose&, const Positions&, MoveItErrorCodes&) {};
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(plugin_->searchPositionIK(poseAt(randomPositions()), randomPositions(), 0.1,
                                         solution_, never, error_));
  EXPECT_EQ(error_.val, MoveItErrorCodes::TIMED_OUT);
  EXPECT_NEAR(Seconds(std::chrono::steady_clock::now() - start).count(), 0.1, kSlack);
}

TEST_F(PluginTest, KeepsConsistencyLimits) {
  loadAlone();
  for (int i = 0; i < 20; ++i) {
    const Positions seed = randomPositions();
    const auto target = poseAt(randomPositions());
    const Positions limits(7, 0.8);
    if (plugin_->searchPositionIK(target, seed, 0.05, limits, solution_, error_)) {
      expectSolves(solution_, target);
      for (std::size_t j = 0; j < seed.size(); ++j) {
        EXPECT_LE(std::abs(solution_[j] - seed[j]), 0.8 + 1e-9);
      }
    }
  }
  EXPECT_FALSE(plugin_->searchPositionIK(poseAt(randomPositions()), randomPositions(), 0.05,
                                         Positions(6, 0.1), solution_, error_));
  EXPECT_EQ(error_.val, MoveItErrorCodes::NO_IK_SOLUTION) << "six limits for seven joints";
}

TEST_F(PluginTest, TestsCandidatesByIncreasingCost) {
  const Positions goal = randomPositions();
  std::vector<Positions> known;
  loadAlone();
  const auto target = poseAt(goal);
  kinematics::KinematicsResult result{};
  plugin_->setDefaultTimeout(2.0);
  ASSERT_TRUE(plugin_->getPositionIK({target}, goal, known, result, {}));
  ASSERT_GT(known.size(), 5U);
  const auto last_joint = [](const geometry_msgs::msg::Pose&,
                             const moveit::core::RobotState& state,
                             const moveit::core::JointModelGroup*, const Positions&) {
    return state.getVariablePosition("panda_joint7");
  };
  double least = std::numeric_limits<double>::infinity();
  for (const Positions& q : known) {
    least = std::min(least, q[6]);
  }
  ASSERT_TRUE(
      plugin_->searchPositionIK({target}, goal, 2.0, {}, solution_, nullptr, last_joint, error_));
  // Two searches come to nearly the same solution.
  EXPECT_LE(solution_[6], least + 1e-3);
}

TEST_F(PluginTest, DoesNotAskTheServerIfTheFirstCandidateIsAccepted) {
  const Server server([](const auto& request, auto& response) { answer(request, response, {}); });
  load({rclcpp::Parameter("startup_wait", 5.0), rclcpp::Parameter("sampler", "any")});
  for (int i = 0; i < 20; ++i) {
    const auto target = poseAt(randomPositions());
    ASSERT_TRUE(plugin_->searchPositionIK(target, randomPositions(), 2.0, solution_, error_));
  }
  EXPECT_EQ(server.requests(), 0);
}

TEST_F(PluginTest, AsksForCandidatesFreeOfCollisions) {
  const Positions goal = randomPositions();
  const Server server([&](const auto& request, auto& response) {
    EXPECT_TRUE(request.avoid_collisions);
    answer(request, response, goal);
  });
  load({rclcpp::Parameter("startup_wait", 5.0), rclcpp::Parameter("avoid_collisions", true)});
  int tested = 0;
  // As if all of the plugin's own candidates were in collision.
  const auto is_goal = [&](const geometry_msgs::msg::Pose&, const Positions& q,
                           MoveItErrorCodes& error) {
    ++tested;
    error.val = q == goal ? MoveItErrorCodes::SUCCESS : MoveItErrorCodes::GOAL_IN_COLLISION;
  };
  EXPECT_TRUE(
      plugin_->searchPositionIK(poseAt(goal), randomPositions(), 5.0, solution_, is_goal, error_));
  EXPECT_EQ(solution_, goal);
  EXPECT_EQ(server.requests(), 1);
  EXPECT_GT(tested, 1);
}

TEST_F(PluginTest, TestsTheServersCandidatesInAnOrderThatDoesNotDependOnItsSpeed) {
  const Positions goal = randomPositions();
  const Positions seed = randomPositions();
  std::vector<std::vector<Positions>> tested(2);
  for (std::size_t run = 0; run < tested.size(); ++run) {
    const Server server([&](const auto& request, auto& response) {
      std::this_thread::sleep_for(std::chrono::milliseconds(run == 0 ? 0 : 100));
      EXPECT_EQ(request.sampler, "any");
      answer(request, response, goal);
    });
    load({rclcpp::Parameter("startup_wait", 5.0), rclcpp::Parameter("sampler", "any")});
    // Only the server knows this very configuration.
    const auto is_goal = [&](const geometry_msgs::msg::Pose&, const Positions& q,
                             MoveItErrorCodes& error) {
      tested[run].push_back(q);
      double largest = 0.0;
      for (std::size_t j = 0; j < q.size(); ++j) {
        largest = std::max(largest, std::abs(q[j] - goal[j]));
      }
      error.val = largest < 1e-9 ? MoveItErrorCodes::SUCCESS : MoveItErrorCodes::GOAL_IN_COLLISION;
    };
    EXPECT_TRUE(plugin_->searchPositionIK(poseAt(goal), seed, 5.0, solution_, is_goal, error_));
    EXPECT_EQ(server.requests(), 1);
  }
  EXPECT_GT(tested[0].size(), 50U);
  EXPECT_EQ(tested[0], tested[1]);
}

TEST_F(PluginTest, KeepsTheTimeoutWithASilentServer) {
  const Server server(
      [](const auto&, auto&) { std::this_thread::sleep_for(std::chrono::milliseconds(300)); });
  load({rclcpp::Parameter("startup_wait", 5.0), rclcpp::Parameter("sampler", "any")});
  const auto never = [](const geometry_msgs::msg::Pose&, const Positions&, MoveItErrorCodes&) {};
  for (int i = 0; i < 10; ++i) {
    const auto target = poseAt(randomPositions());
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(
        plugin_->searchPositionIK(target, randomPositions(), 0.1, solution_, never, error_));
    EXPECT_EQ(error_.val, MoveItErrorCodes::TIMED_OUT);
    EXPECT_LT(Seconds(std::chrono::steady_clock::now() - start).count(), 0.1 + kSlack);
    EXPECT_TRUE(plugin_->searchPositionIK(target, randomPositions(), 0.1, solution_, error_));
    expectSolves(solution_, target);
  }
  EXPECT_GE(server.requests(), 1);
}

TEST_F(PluginTest, GoesOnWhenTheServerIsGone) {
  auto server = std::make_unique<Server>(
      [](const auto& request, auto& response) { answer(request, response, {}); });
  load({rclcpp::Parameter("startup_wait", 5.0), rclcpp::Parameter("sampler", "any")});
  int calls = 0;
  const auto hundredth = [&](const geometry_msgs::msg::Pose&, const Positions&,
                             MoveItErrorCodes& error) {
    if (++calls == 20) {
      server.reset();
    }
    error.val = calls % 100 == 0 ? MoveItErrorCodes::SUCCESS : MoveItErrorCodes::GOAL_IN_COLLISION;
  };
  for (int i = 0; i < 3; ++i) {
    const auto target = poseAt(randomPositions());
    ASSERT_TRUE(
        plugin_->searchPositionIK(target, randomPositions(), 2.0, solution_, hundredth, error_));
    expectSolves(solution_, target);
  }
}

TEST_F(PluginTest, DropsFalseSolutions) {
  const Positions goal = randomPositions();
  const Server server([&](const auto& request, auto& response) {
    Positions wrong = goal;
    wrong[1] += 0.01;             // 3 mm off
    Positions outside(7, 100.0);  // beyond the limits
    outside.insert(outside.end(), wrong.begin(), wrong.end());
    outside.push_back(std::nan(""));  // and an incomplete row
    answer(request, response, outside);
  });
  load({rclcpp::Parameter("startup_wait", 5.0), rclcpp::Parameter("sampler", "any")});
  const auto target = poseAt(goal);
  int calls = 0;
  const auto never = [&](const geometry_msgs::msg::Pose&, const Positions& q, MoveItErrorCodes&) {
    expectSolves(q, target);
    ++calls;
  };
  EXPECT_FALSE(
      plugin_->searchPositionIK(target, randomPositions(), 0.2, solution_, never, error_));
  EXPECT_GE(server.requests(), 1);
  EXPECT_GT(calls, 50);
}

TEST_F(PluginTest, SolvesLocallyIfTheServerRefusesOrHasOtherJoints) {
  for (const bool refuses : {true, false}) {
    const Server server([&](const auto& request, auto& response) {
      answer(request, response, Positions(8, 0.0));
      response.joint_names.emplace_back("panda_finger_joint1");
      if (refuses) {
        response.status = GetIKSolutions::Response::INVALID_REQUEST;
        response.message = "no";
      }
    });
    load({rclcpp::Parameter("startup_wait", 5.0), rclcpp::Parameter("sampler", "any")});
    int calls = 0;
    const auto hundredth = [&](const geometry_msgs::msg::Pose&, const Positions&,
                               MoveItErrorCodes& error) {
      error.val = ++calls == 100 ? MoveItErrorCodes::SUCCESS : MoveItErrorCodes::GOAL_IN_COLLISION;
    };
    const auto target = poseAt(randomPositions());
    ASSERT_TRUE(
        plugin_->searchPositionIK(target, randomPositions(), 2.0, solution_, hundredth, error_));
    expectSolves(solution_, target);
    EXPECT_GE(server.requests(), 1);
  }
}

TEST_F(PluginTest, KnowsThatAPoseIsOutOfReachLongBeforeTheTimeout) {
  loadAlone();
  // Beyond the sum of all links, and below the floor, which no link length forbids.
  for (const auto& [x, z] : {std::pair{3.0, 0.5}, std::pair{0.1, -0.4}}) {
    auto target = poseAt(randomPositions());
    target.position.x = x;
    target.position.y = 0.0;
    target.position.z = z;
    target.orientation = geometry_msgs::msg::Quaternion();
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(plugin_->searchPositionIK(target, randomPositions(), 5.0, solution_, error_));
    EXPECT_EQ(error_.val, MoveItErrorCodes::NO_IK_SOLUTION);
    EXPECT_LT(Seconds(std::chrono::steady_clock::now() - start).count(), kSlack);
  }
}

TEST_F(PluginTest, ReturnsAnApproximateSolutionIfAllowed) {
  loadAlone();
  auto target = poseAt(randomPositions());
  target.position.x = 3.0;
  kinematics::KinematicsQueryOptions options;
  options.return_approximate_solution = true;
  EXPECT_TRUE(
      plugin_->searchPositionIK(target, randomPositions(), 0.2, solution_, error_, options));
  EXPECT_GT(poseAt(solution_).position.x, 0.6) << "not stretched out towards the target";
}

TEST_F(PluginTest, RefusesInvalidQueries) {
  loadAlone();
  auto target = poseAt(randomPositions());
  EXPECT_FALSE(plugin_->getPositionIK(target, Positions(6, 0.0), solution_, error_));
  target.orientation = geometry_msgs::msg::Quaternion();
  target.orientation.w = 0.0;
  EXPECT_FALSE(plugin_->getPositionIK(target, Positions(7, 0.0), solution_, error_));
  EXPECT_EQ(error_.val, MoveItErrorCodes::NO_IK_SOLUTION);
  std::vector<geometry_msgs::msg::Pose> poses;
  EXPECT_FALSE(plugin_->getPositionFK({"no_such_link"}, Positions(7, 0.0), poses));
  EXPECT_FALSE(plugin_->getPositionFK({"panda_link8"}, Positions(6, 0.0), poses));
}

// Two Pandas, and a group of both, which has no solver of its own.
TEST_F(PluginTest, SolvesBothArmsOfAGroupWithoutASolverOfItsOwn) {
  const auto model = twoArms();
  const auto node = std::make_shared<rclcpp::Node>(
      "move_group", rclcpp::NodeOptions().parameter_overrides(
                        {{"robot_description_kinematics.left.service", ""},
                         {"robot_description_kinematics.right.service", ""}}));
  std::map<std::string, moveit::core::SolverAllocatorFn> allocators;
  for (const std::string side : {"left", "right"}) {
    allocators[side] = [&, side](const moveit::core::JointModelGroup*) {
      const std::shared_ptr<kinematics::KinematicsBase> plugin =
          loader_->createSharedInstance("generative_ik_ros/GenerativeIKPlugin");
      EXPECT_TRUE(plugin->initialize(node, *model, side, side + "_panda_link0",
                                     {side + "_panda_link8"}, 0.1));
      plugin->setDefaultTimeout(0.5);
      return plugin;
    };
  }
  model->setKinematicsAllocators(allocators);
  const auto* both = model->getJointModelGroup("both");
  moveit::core::RobotState goal(model);
  moveit::core::RobotState state(model);
  for (int i = 0; i < 20; ++i) {
    goal.setToRandomPositions(both);
    state.setToRandomPositions(both);
    goal.update();
    const std::vector<std::string> tips = {"left_panda_link8", "right_panda_link8"};
    EigenSTL::vector_Isometry3d poses;
    for (const std::string& tip : tips) {
      poses.push_back(goal.getGlobalLinkTransform(tip));
    }
    ASSERT_TRUE(state.setFromIK(both, poses, tips, 0.5));
    state.update();
    for (std::size_t k = 0; k < tips.size(); ++k) {
      EXPECT_TRUE(state.getGlobalLinkTransform(tips[k]).isApprox(poses[k], 1e-4));
    }
    EXPECT_TRUE(state.satisfiesBounds(both));
  }
}

// A server of a group of both arms that knows some configurations, in the reverse order of joints.
Server::Handler knows(const std::vector<Positions>& configurations,
                      GetIKSolutions::Request& last) {
  return [&configurations, &last](const auto& request, auto& response) {
    last = request;
    answer(request, response, {});
    std::reverse(response.joint_names.begin(), response.joint_names.end());
    for (const Positions& q : configurations) {
      response.positions.insert(response.positions.end(), q.rbegin(), q.rend());
    }
  };
}

TEST_F(PluginTest, SolvesSeveralTipsByItself) {
  // Other groups of the same joints, which MoveIt takes for subgroups as well.
  const auto two = twoArms(
      "<group name='wrist'><chain base_link='left_panda_link4' tip_link='left_panda_link7'/>"
      "</group><group name='again'><group name='left'/><group name='right'/></group>");
  ASSERT_TRUE(loadBoth(*two));
  const std::vector<std::string> tips = {"left_panda_link8", "right_panda_link8"};
  EXPECT_EQ(plugin_->getTipFrames(), tips);
  EXPECT_EQ(plugin_->getJointNames(), two->getJointModelGroup("both")->getActiveJointModelNames());
  plugin_->setDefaultTimeout(2.0);
  const Positions seed(14, -0.1);
  moveit::core::RobotState goal(two);
  for (int i = 0; i < 20; ++i) {
    goal.setToRandomPositions(two->getJointModelGroup("both"));
    const auto poses = posesOf(goal);
    ASSERT_TRUE(plugin_->searchPositionIK(poses, seed, 2.0, {}, solution_, nullptr, error_));
    expectReaches(two, solution_, poses);
    // A seed that solves is returned.
    const Positions known = positionsOf(goal);
    ASSERT_TRUE(plugin_->searchPositionIK(poses, known, 2.0, {}, solution_, nullptr, error_));
    for (std::size_t j = 0; j < known.size(); ++j) {
      EXPECT_NEAR(solution_[j], known[j], 1e-4);
    }
  }
  const auto poses = posesOf(goal);
  std::vector<Positions> solutions;
  kinematics::KinematicsResult result{};
  ASSERT_TRUE(plugin_->getPositionIK(poses, seed, solutions, result, {}));
  EXPECT_GT(solutions.size(), 10U);
  for (const Positions& q : solutions) {
    expectReaches(two, q, poses);
  }
  EXPECT_FALSE(plugin_->searchPositionIK({poses[0]}, seed, 0.1, {}, solution_, nullptr, error_));
  EXPECT_FALSE(plugin_->searchPositionIK(poses[0], seed, 0.1, solution_, error_));
  EXPECT_FALSE(plugin_->getPositionIK(poses[0], seed, solution_, error_));
}

TEST_F(PluginTest, KeepsConsistencyLimitsOfSeveralTips) {
  const auto two = twoArms();
  ASSERT_TRUE(loadBoth(*two));
  moveit::core::RobotState goal(two);
  for (int i = 0; i < 10; ++i) {
    goal.setToRandomPositions(two->getJointModelGroup("both"));
    const Positions seed = positionsOf(goal);
    const auto poses = posesOf(goal);
    const Positions limits(14, 0.3);
    const auto another = [&](const geometry_msgs::msg::Pose&, const Positions& q,
                             MoveItErrorCodes& error) {
      EXPECT_EQ(q.size(), 14U);
      for (std::size_t j = 0; j < q.size(); ++j) {
        EXPECT_LE(std::abs(q[j] - seed[j]), limits[j] + 1e-9);
      }
      error.val = std::abs(q[0] - seed[0]) > 0.01 ? MoveItErrorCodes::SUCCESS
                                                  : MoveItErrorCodes::GOAL_IN_COLLISION;
    };
    if (plugin_->searchPositionIK(poses, seed, 0.5, limits, solution_, another, error_)) {
      expectReaches(two, solution_, poses);
    }
  }
}

TEST_F(PluginTest, TestsCandidatesForSeveralTipsByIncreasingCost) {
  const auto two = twoArms();
  ASSERT_TRUE(loadBoth(*two));
  plugin_->setDefaultTimeout(2.0);
  moveit::core::RobotState goal(two);
  goal.setToRandomPositions(two->getJointModelGroup("both"));
  const auto poses = posesOf(goal);
  std::vector<Positions> known;
  kinematics::KinematicsResult result{};
  ASSERT_TRUE(plugin_->getPositionIK(poses, positionsOf(goal), known, result, {}));
  double least = std::numeric_limits<double>::infinity();
  for (const Positions& q : known) {
    least = std::min(least, q[6]);
  }
  const auto last_joint = [](const geometry_msgs::msg::Pose&,
                             const moveit::core::RobotState& state,
                             const moveit::core::JointModelGroup*, const Positions&) {
    return state.getVariablePosition("left_panda_joint7");
  };
  ASSERT_TRUE(plugin_->searchPositionIK(poses, positionsOf(goal), 2.0, {}, solution_, nullptr,
                                        last_joint, error_));
  // Two searches come to nearly the same solution.
  EXPECT_LE(solution_[6], least + 1e-3);
}

TEST_F(PluginTest, SaysThatSeveralTipsAreOutOfReach) {
  const auto two = twoArms();
  EXPECT_FALSE(loadBoth(*two, {rclcpp::Parameter("tip_links", "left_panda_link8")}))
      << "the right arm's joints move no tip";
  ASSERT_TRUE(loadBoth(*two));
  moveit::core::RobotState goal(two);
  goal.setToRandomPositions(two->getJointModelGroup("both"));
  auto poses = posesOf(goal);
  poses[1].position.z = 2.0;
  const Positions seed(14, -0.1);
  EXPECT_FALSE(plugin_->searchPositionIK(poses, seed, 5.0, {}, solution_, nullptr, error_));
  EXPECT_EQ(error_.val, MoveItErrorCodes::NO_IK_SOLUTION);
  kinematics::KinematicsQueryOptions options;
  options.return_approximate_solution = true;
  ASSERT_TRUE(
      plugin_->searchPositionIK(poses, seed, 5.0, {}, solution_, nullptr, error_, options));
  EXPECT_GT(reached(two, solution_)[1].position.z, 0.9) << "not stretched out";
}

TEST_F(PluginTest, AsksTheServerForASamplersCandidatesOfSeveralTips) {
  const auto two = twoArms();
  moveit::core::RobotState goal(two);
  goal.setToRandomPositions(two->getJointModelGroup("both"));
  const auto poses = posesOf(goal);
  Positions wrong = positionsOf(goal);
  wrong[12] += 0.001;  // The right hand's pose is off.
  const std::vector<Positions> known = {wrong, positionsOf(goal)};
  GetIKSolutions::Request asked;
  const Server server(knows(known, asked));
  ASSERT_TRUE(loadBoth(
      *two, {rclcpp::Parameter("startup_wait", 5.0), rclcpp::Parameter("sampler", "any")}));
  const auto is_known = [&](const geometry_msgs::msg::Pose&, const Positions& q,
                            MoveItErrorCodes& error) {
    double largest = 0.0;
    for (std::size_t j = 0; j < q.size(); ++j) {
      EXPECT_NE(q, wrong);
      largest = std::max(largest, std::abs(q[j] - known[1][j]));
    }
    error.val = largest < 1e-9 ? MoveItErrorCodes::SUCCESS : MoveItErrorCodes::GOAL_IN_COLLISION;
  };
  const Positions seed(14, -0.1);
  ASSERT_TRUE(plugin_->searchPositionIK(poses, seed, 5.0, {}, solution_, is_known, error_));
  const std::vector<std::string> tips = {"left_panda_link8", "right_panda_link8"};
  EXPECT_EQ(asked.tip_links, tips);
  EXPECT_TRUE(asked.tip_link.empty());
  EXPECT_EQ(asked.targets.header.frame_id, "left_panda_link0");
  ASSERT_EQ(asked.targets.poses.size(), 2U);
  EXPECT_NEAR(asked.targets.poses[1].position.y, poses[1].position.y, 1e-12);
}

TEST_F(PluginTest, DoesNotAskTheServerWithoutASampler) {
  const Server server([](const auto& request, auto& response) { answer(request, response, {}); });
  load({rclcpp::Parameter("startup_wait", 5.0)});
  const auto never = [](const geometry_msgs::msg::Pose&, const Positions&, MoveItErrorCodes&) {};
  EXPECT_FALSE(plugin_->searchPositionIK(poseAt(randomPositions()), randomPositions(), 0.2,
                                         solution_, never, error_));
  EXPECT_EQ(server.requests(), 0);
}

TEST_F(PluginTest, TheBaseMayBeTheOtherHand) {
  const auto two = twoArms();
  node_ = std::make_shared<rclcpp::Node>(
      "move_group", rclcpp::NodeOptions().parameter_overrides(
                        {{"robot_description_kinematics.both.tip_links", "right_panda_link8"}}));
  plugin_ = loader_->createUniqueInstance("generative_ik_ros/GenerativeIKPlugin");
  ASSERT_TRUE(
      plugin_->initialize(node_, *two, "both", "left_panda_link8", {"right_panda_link8"}, 0.1));
  moveit::core::RobotState goal(two);
  for (int i = 0; i < 20; ++i) {
    goal.setToRandomPositions(two->getJointModelGroup("both"));
    std::vector<geometry_msgs::msg::Pose> target;
    ASSERT_TRUE(plugin_->getPositionFK({"right_panda_link8"}, positionsOf(goal), target));
    ASSERT_TRUE(plugin_->searchPositionIK(target[0], Positions(14, -0.1), 2.0, solution_, error_));
    std::vector<geometry_msgs::msg::Pose> found;
    ASSERT_TRUE(plugin_->getPositionFK({"right_panda_link8"}, solution_, found));
    expectNear(found[0], target[0]);
  }
}

TEST_F(PluginTest, OrientationsMayBeFree) {
  load({rclcpp::Parameter("position_only_ik", true)});
  for (int i = 0; i < 20; ++i) {
    auto target = poseAt(randomPositions());
    target.orientation = geometry_msgs::msg::Quaternion();
    ASSERT_TRUE(plugin_->searchPositionIK(target, randomPositions(), 2.0, solution_, error_));
    const auto found = poseAt(solution_);
    EXPECT_LT(distance(found, target), 1.1e-5);
  }
}

TEST_F(PluginTest, RedundantJointsStayAtTheSeed) {
  loadAlone();
  ASSERT_TRUE(plugin_->setRedundantJoints(std::vector<unsigned int>{2U}));
  kinematics::KinematicsQueryOptions options;
  options.lock_redundant_joints = true;
  int solved = 0;
  for (int i = 0; i < 20; ++i) {
    const Positions goal = randomPositions();
    Positions seed = randomPositions();
    seed[2] = goal[2];
    if (plugin_->searchPositionIK(poseAt(goal), seed, 2.0, solution_, error_, options)) {
      ++solved;
      EXPECT_NEAR(solution_[2], seed[2], 1e-9);
      expectSolves(solution_, poseAt(goal));
    }
  }
  EXPECT_EQ(solved, 20);
}

// The first five joints of the Panda.
class FiveJointsTest : public PluginTest {
 protected:
  void loadFive(const std::string& prefer) {
    const urdf::ModelInterfaceSharedPtr urdf = urdf::parseURDFFile(PANDA_URDF);
    const auto srdf = std::make_shared<srdf::Model>();
    srdf->initString(*urdf,
                     "<robot name='panda'><group name='five'><chain base_link='panda_link0' "
                     "tip_link='panda_link5'/></group></robot>");
    five_ = std::make_shared<moveit::core::RobotModel>(urdf, srdf);
    node_ = std::make_shared<rclcpp::Node>(
        "move_group", rclcpp::NodeOptions().parameter_overrides(
                          {{"robot_description_kinematics.five.prefer", prefer}}));
    plugin_ = loader_->createUniqueInstance("generative_ik_ros/GenerativeIKPlugin");
    ASSERT_TRUE(plugin_->initialize(node_, *five_, "five", "panda_link0", {"panda_link5"}, 0.1));
  }

  geometry_msgs::msg::Pose tipAt(const Positions& q) const {
    std::vector<geometry_msgs::msg::Pose> poses;
    EXPECT_TRUE(plugin_->getPositionFK({"panda_link5"}, q, poses));
    return poses.at(0);
  }

  std::shared_ptr<moveit::core::RobotModel> five_;
};

TEST_F(FiveJointsTest, PosesOfTheArmAreSolved) {
  loadFive("");
  for (int i = 0; i < 20; ++i) {
    const Positions q = randomPositions();
    const auto target = tipAt({q.begin(), q.begin() + 5});
    ASSERT_TRUE(plugin_->searchPositionIK(target, Positions(5, -0.1), 2.0, solution_, error_));
    expectNear(tipAt(solution_), target);
  }
}

TEST_F(FiveJointsTest, ThePositionComesFirstWhereThatIsPreferred) {
  loadFive("position");
  kinematics::KinematicsQueryOptions options;
  options.return_approximate_solution = true;
  for (int i = 0; i < 20; ++i) {
    const Positions q = randomPositions();
    auto target = tipAt({q.begin(), q.begin() + 5});
    // Turned by 0.2 rad about some axis.
    const Eigen::Quaterniond turned =
        Eigen::Quaterniond(target.orientation.w, target.orientation.x, target.orientation.y,
                           target.orientation.z) *
        Eigen::AngleAxisd(0.2, Eigen::Vector3d(1.0, 0.5, 0.3 * i).normalized());
    target.orientation.x = turned.x();
    target.orientation.y = turned.y();
    target.orientation.z = turned.z();
    target.orientation.w = turned.w();
    const Positions seed(5, -0.1);
    if (plugin_->searchPositionIK(target, seed, 2.0, solution_, error_)) {
      continue;
    }
    ASSERT_TRUE(plugin_->searchPositionIK(target, seed, 2.0, solution_, error_, options));
    EXPECT_LT(distance(tipAt(solution_), target), 1.1e-5);
    EXPECT_LT(angle(tipAt(solution_), target), 0.2 + 1e-6) << "the arm was there unturned";
  }
}

TEST_F(FiveJointsTest, WhatMayBePreferredIsChecked) {
  node_ = std::make_shared<rclcpp::Node>(
      "move_group", rclcpp::NodeOptions().parameter_overrides(
                        {{"robot_description_kinematics.arm.prefer", "speed"}}));
  plugin_ = loader_->createUniqueInstance("generative_ik_ros/GenerativeIKPlugin");
  EXPECT_FALSE(plugin_->initialize(node_, *model_, kGroup, "panda_link0", {"panda_link8"}, 0.1));
}

// As compute_ik asks for the poses of both arms, with no node at all.
TEST_F(PluginTest, MoveItSolvesBothArmsWithOneSolver) {
  const auto two = twoArms();
  const auto node = std::make_shared<rclcpp::Node>("move_group");
  std::map<std::string, moveit::core::SolverAllocatorFn> allocators;
  allocators["both"] = [&](const moveit::core::JointModelGroup*) {
    const std::shared_ptr<kinematics::KinematicsBase> plugin =
        loader_->createSharedInstance("generative_ik_ros/GenerativeIKPlugin");
    EXPECT_TRUE(
        plugin->initialize(node, *two, "both", "left_panda_link0", {"right_panda_link8"}, 0.1));
    return plugin;
  };
  two->setKinematicsAllocators(allocators);
  const auto* both = two->getJointModelGroup("both");
  moveit::core::RobotState goal(two);
  moveit::core::RobotState state(two);
  const std::vector<std::string> tips = {"right_panda_link8", "left_panda_link8"};
  int solved = 0;
  std::vector<double> times;
  for (int i = 0; i < 100; ++i) {
    goal.setToRandomPositions(both);
    state.setToRandomPositions(both);
    goal.update();
    EigenSTL::vector_Isometry3d poses;
    for (const std::string& tip : tips) {
      poses.push_back(goal.getGlobalLinkTransform(tip));
    }
    const auto start = std::chrono::steady_clock::now();
    solved += state.setFromIK(both, poses, tips, 0.5) ? 1 : 0;
    times.push_back(Seconds(std::chrono::steady_clock::now() - start).count());
    state.update();
    for (std::size_t k = 0; k < tips.size(); ++k) {
      EXPECT_TRUE(state.getGlobalLinkTransform(tips[k]).isApprox(poses[k], 1e-4));
    }
    EXPECT_TRUE(state.satisfiesBounds(both));
  }
  std::sort(times.begin(), times.end());
  RCLCPP_INFO(node->get_logger(), "%d of 100 solved, median %.2f ms, 90 %% %.2f ms", solved,
              1e3 * times[50], 1e3 * times[90]);
  EXPECT_EQ(solved, 100);
}

TEST_F(PluginTest, ServesManyThreadsAtOnce) {
  load({rclcpp::Parameter("startup_wait", 0.0)});
  struct Request {
    Positions seed;
    geometry_msgs::msg::Pose target;
  };
  std::vector<Request> requests;
  for (int i = 0; i < 80; ++i) {
    requests.push_back({randomPositions(), poseAt(randomPositions())});
  }
  std::vector<Positions> answers(requests.size());
  std::vector<std::thread> threads;
  for (std::size_t first = 0; first < 8; ++first) {
    threads.emplace_back([&, first] {
      for (std::size_t i = first; i < requests.size(); i += 8) {
        MoveItErrorCodes error;
        plugin_->searchPositionIK(requests[i].target, requests[i].seed, 5.0, answers[i], error);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    ASSERT_EQ(answers[i].size(), 7U);
    expectSolves(answers[i], requests[i].target);
  }
}

}  // namespace
}  // namespace generative_ik_ros

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  rclcpp::init(argc, argv);
  const int result = RUN_ALL_TESTS();
  rclcpp::shutdown();
  return result;
}

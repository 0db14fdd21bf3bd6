// The plugin as controllers load it, beyond the tests that kinematics_interface has itself.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <kinematics_interface/kinematics_interface.hpp>
#include <limits>
#include <memory>
#include <pluginlib/class_loader.hpp>
#include <rclcpp_lifecycle/lifecycle_node.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "../../core/test/allocations.hpp"

namespace {

using Eigen::Isometry3d;
using Eigen::Vector3d;
using Eigen::VectorXd;
using Interface = kinematics_interface::KinematicsInterface;
using Jacobian = Eigen::Matrix<double, 6, Eigen::Dynamic>;
using JacobianInverse = Eigen::Matrix<double, Eigen::Dynamic, 6>;
using Twist = Eigen::Matrix<double, 6, 1>;

constexpr double kAlpha = 1e-4;

// Humble's interface (0.x) knows no namespace of parameters, and finds the description in one.
template <typename Plugin>
concept HasNamespace =
    requires(Plugin& plugin, const std::string& text, rclcpp_lifecycle::LifecycleNode& node) {
      plugin.initialize(text, node.get_node_parameters_interface(), text);
    };
const std::string kNamespace = HasNamespace<Interface> ? "kinematics" : "";
const std::string kPrefix = HasNamespace<Interface> ? "kinematics." : "";

// Nor does it have an inverse: whether there is one shows in joint deltas.
template <typename Plugin>
bool invert(Plugin& plugin, const VectorXd& q, const std::string& link, JacobianInverse& inverse,
            VectorXd& delta_theta) {
  if constexpr (requires { plugin.calculate_jacobian_inverse(q, link, inverse); }) {
    return plugin.calculate_jacobian_inverse(q, link, inverse);
  } else {
    return plugin.convert_cartesian_deltas_to_joint_deltas(q, Twist::Ones(), link, delta_theta);
  }
}

std::string robot(const std::string& name) {
  std::stringstream text;
  text << std::ifstream(ROBOTS + name + ".urdf").rdbuf();
  return text.str();
}

// A pillar, an arm of two links of 1 m with a sensor at the elbow, and a gripper. The second joint
// turns the other way and twice as far as the first.
const char* const kMimicArm = R"(<robot name="r">
  <link name="floor"/><link name="base"/><link name="upper"/><link name="sensor"/>
  <link name="lower"/><link name="tool"/><link name="finger"/>
  <joint name="pillar" type="fixed"><parent link="floor"/><child link="base"/>
    <origin xyz="0 0 0.5"/></joint>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  <joint name="mount" type="fixed"><parent link="upper"/><child link="sensor"/>
    <origin xyz="1 0 0.1"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/>
    <origin xyz="1 0 0"/><axis xyz="0 0 1"/><mimic joint="shoulder" multiplier="-2"/>
    <limit lower="-4" upper="4" effort="1" velocity="2"/></joint>
  <joint name="lift" type="prismatic"><parent link="lower"/><child link="tool"/>
    <origin xyz="1 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="grasp" type="prismatic"><parent link="tool"/><child link="finger"/>
    <limit lower="0" upper="1" effort="1" velocity="1"/></joint>
</robot>)";

class KinematicsInterfacePlugin : public ::testing::Test {
 protected:
  void SetUp() override {
    rclcpp::init(0, nullptr);
    node_ = std::make_shared<rclcpp_lifecycle::LifecycleNode>("controller");
    plugin_ = loader_.createUniqueInstance("generative_ik_ros/KinematicsInterface");
  }

  void TearDown() override {
    plugin_.reset();
    node_.reset();
    rclcpp::shutdown();
  }

  template <typename Value>
  void set(const std::string& name, const Value& value) {
    const rclcpp::ParameterValue wanted(value);
    if (node_->has_parameter(name)) {
      node_->set_parameter(rclcpp::Parameter(name, wanted));
      return;
    }
    rcl_interfaces::msg::ParameterDescriptor descriptor;
    descriptor.dynamic_typing = true;
    node_->declare_parameter(name, wanted, descriptor);
  }

  bool initialize(const std::string& description, const std::string& base,
                  const std::string& tip) {
    set(kPrefix + "base", base);
    set(kPrefix + "tip", tip);
    set(kPrefix + "alpha", kAlpha);
    return load(*plugin_, description);
  }

  template <typename Plugin>
  bool load(Plugin& plugin, const std::string& description) {
    const auto parameters = node_->get_node_parameters_interface();
    if constexpr (HasNamespace<Plugin>) {
      return plugin.initialize(description, parameters, kNamespace);
    } else {
      set("robot_description", description);
      return plugin.initialize(parameters, "");
    }
  }

  Isometry3d transform(const VectorXd& q, const std::string& link) {
    Isometry3d found = Isometry3d::Identity();
    EXPECT_TRUE(plugin_->calculate_link_transform(q, link, found)) << link;
    return found;
  }

  Jacobian jacobian(const VectorXd& q, const std::string& link) {
    Jacobian found = Jacobian::Constant(6, q.size(), 7.0);
    EXPECT_TRUE(plugin_->calculate_jacobian(q, link, found)) << link;
    return found;
  }

  // Central differences of a link's pose.
  Jacobian differences(const VectorXd& q, const std::string& link) {
    constexpr double kStep = 1e-6;
    Jacobian found(6, q.size());
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      VectorXd ahead = q;
      VectorXd behind = q;
      ahead[i] += kStep;
      behind[i] -= kStep;
      const Isometry3d to = transform(ahead, link);
      const Isometry3d from = transform(behind, link);
      const Eigen::AngleAxisd turn(to.linear() * from.linear().transpose());
      found.col(i) << to.translation() - from.translation(), turn.angle() * turn.axis();
    }
    return found / (2.0 * kStep);
  }

  pluginlib::ClassLoader<Interface> loader_{"kinematics_interface",
                                            "kinematics_interface::KinematicsInterface"};
  std::shared_ptr<rclcpp_lifecycle::LifecycleNode> node_;
  pluginlib::UniquePtr<Interface> plugin_;
};

TEST_F(KinematicsInterfacePlugin, LinksAgreeWithTrigonometry) {
  ASSERT_TRUE(initialize(kMimicArm, "base", "tool"));
  const VectorXd q = Eigen::Vector2d(0.4, 0.2);
  const double c = std::cos(0.4);
  const double s = std::sin(0.4);
  EXPECT_TRUE(transform(q, "base").isApprox(Isometry3d::Identity(), 1e-14));
  EXPECT_TRUE(transform(q, "floor").translation().isApprox(Vector3d(0, 0, -0.5), 1e-14));
  EXPECT_TRUE(transform(q, "sensor").translation().isApprox(Vector3d(c, s, 0.1), 1e-14));
  // The elbow is at 0.4 - 0.8 rad.
  EXPECT_LT((transform(q, "tool").translation() - Vector3d(2 * c, 0, 0.2)).norm(), 1e-14);

  Jacobian sensor = Jacobian::Zero(6, 2);
  sensor.col(0) << -s, c, 0, 0, 0, 1;
  EXPECT_LT((jacobian(q, "sensor") - sensor).norm(), 1e-14);
  Jacobian tool = Jacobian::Zero(6, 2);
  tool.col(0) << -2 * s, 0, 0, 0, 0, -1;
  tool.col(1) << 0, 0, 1, 0, 0, 0;
  EXPECT_LT((jacobian(q, "tool") - tool).norm(), 1e-14);
  EXPECT_EQ(jacobian(q, "floor"), Jacobian::Zero(6, 2));
}

TEST_F(KinematicsInterfacePlugin, TheJacobianIsTheDerivative) {
  ASSERT_TRUE(initialize(robot("panda"), "panda_link0", "panda_link8"));
  const VectorXd q = (VectorXd(7) << 0.3, -0.6, 0.2, -2.0, 0.4, 1.7, 0.5).finished();
  for (const std::string link : {"panda_link0", "panda_link3", "panda_link7", "panda_link8"}) {
    EXPECT_LT((jacobian(q, link) - differences(q, link)).cwiseAbs().maxCoeff(), 1e-8) << link;
  }
  Twist delta_x;
  const VectorXd delta_theta = VectorXd::LinSpaced(7, -0.3, 0.4);
  ASSERT_TRUE(
      plugin_->convert_joint_deltas_to_cartesian_deltas(q, delta_theta, "panda_link8", delta_x));
  EXPECT_LT((delta_x - differences(q, "panda_link8") * delta_theta).norm(), 1e-8);
}

TEST_F(KinematicsInterfacePlugin, JointDeltasMinimizeTheDampedError) {
  const Twist delta_x = (Twist() << 0.1, 0.2, -0.1, 0.3, -0.2, 0.1).finished();
  for (const std::string name : {"panda", "ur10"}) {
    const bool panda = name == "panda";
    const std::string tip = panda ? "panda_link8" : "tool0";
    ASSERT_TRUE(initialize(robot(name), panda ? "panda_link0" : "base_link", tip));
    // A UR10 is singular at 0.
    for (const double position : {0.0, -0.7}) {
      const VectorXd q = VectorXd::Constant(panda ? 7 : 6, position);
      VectorXd delta_theta(q.size());
      ASSERT_TRUE(plugin_->convert_cartesian_deltas_to_joint_deltas(q, delta_x, tip, delta_theta));
      const Jacobian j = jacobian(q, tip);
      const VectorXd gradient = j.transpose() * (j * delta_theta - delta_x) + kAlpha * delta_theta;
      EXPECT_LT(gradient.norm(), 1e-11) << name << " at " << position;
    }
  }
}

TEST_F(KinematicsInterfacePlugin, CallsAllocateNothing) {
  ASSERT_TRUE(initialize(robot("panda"), "panda_link0", "panda_link8"));
  const std::string link = "panda_link8";
  const VectorXd q = VectorXd::Constant(7, -0.7);
  const Twist wanted = Twist::Constant(0.1);
  Isometry3d pose;
  Twist delta_x;
  VectorXd delta_theta(7);
  Jacobian jacobian(6, 7);
  JacobianInverse inverse(7, 6);
  const long before = generative_ik::test::allocations();
  ASSERT_GT(before, 0) << "they are not counted";
  bool done = true;
  for (int i = 0; i < 100; ++i) {
    done = done && plugin_->calculate_link_transform(q, link, pose);
    done = done && plugin_->calculate_jacobian(q, link, jacobian);
    done = done && invert(*plugin_, q, link, inverse, delta_theta);
    done = done && plugin_->convert_cartesian_deltas_to_joint_deltas(q, wanted, link, delta_theta);
    done =
        done && plugin_->convert_joint_deltas_to_cartesian_deltas(q, delta_theta, link, delta_x);
  }
  EXPECT_EQ(generative_ik::test::allocations(), before);
  EXPECT_TRUE(done);
}

TEST_F(KinematicsInterfacePlugin, RefusesWhatItCannotAnswer) {
  const VectorXd q = VectorXd::Zero(2);
  Isometry3d pose(Eigen::Translation3d(1, 2, 3));
  EXPECT_FALSE(plugin_->calculate_link_transform(q, "tool", pose)) << "not initialized";
  ASSERT_TRUE(initialize(kMimicArm, "base", "tool"));
  EXPECT_FALSE(plugin_->calculate_link_transform(q, "finger", pose)) << "moves by itself";
  EXPECT_FALSE(plugin_->calculate_link_transform(VectorXd::Zero(3), "tool", pose));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(plugin_->calculate_link_transform(VectorXd::Constant(2, nan), "tool", pose));
  EXPECT_EQ(pose.translation(), Vector3d(1, 2, 3));
  VectorXd delta_theta = VectorXd::Constant(2, 5.0);
  EXPECT_FALSE(plugin_->convert_cartesian_deltas_to_joint_deltas(q, Twist::Constant(nan), "tool",
                                                                 delta_theta));
  Twist delta_x;
  EXPECT_FALSE(plugin_->convert_joint_deltas_to_cartesian_deltas(q, VectorXd::Constant(2, nan),
                                                                 "tool", delta_x));
  JacobianInverse inverse(2, 6);
  set(kPrefix + "alpha", 0);
  ASSERT_TRUE(load(*plugin_, kMimicArm));
  EXPECT_TRUE(invert(*plugin_, q, "tool", inverse, delta_theta));
  delta_theta = VectorXd::Constant(2, 5.0);
  EXPECT_FALSE(invert(*plugin_, q, "base", inverse, delta_theta)) << "without damping";
  EXPECT_FALSE(
      plugin_->convert_cartesian_deltas_to_joint_deltas(q, Twist::Ones(), "sensor", delta_theta));
  EXPECT_EQ(delta_theta, VectorXd::Constant(2, 5.0));
}

TEST_F(KinematicsInterfacePlugin, RefusesParametersThatCannotBe) {
  EXPECT_FALSE(initialize("<robot", "base", "tool"));
  EXPECT_FALSE(initialize(kMimicArm, "base", "floor")) << "no joint moves it";
  const auto initialized = [&] { return load(*plugin_, kMimicArm); };
  set(kPrefix + "tip", "tool");
  EXPECT_TRUE(initialized());
  set(kPrefix + "alpha", -1.0);
  EXPECT_FALSE(initialized());
  set(kPrefix + "alpha", "much");
  EXPECT_FALSE(initialized());
  Isometry3d pose;
  EXPECT_FALSE(plugin_->calculate_link_transform(VectorXd::Zero(2), "tool", pose))
      << "an earlier chain is used";
  set(kPrefix + "alpha", kAlpha);
  set("joints", std::vector<std::string>{"lift", "shoulder"});
  EXPECT_FALSE(initialized()) << "another order than the chain's";
  set("joints", std::vector<std::string>{"shoulder", "lift"});
  EXPECT_TRUE(initialized());
}

}  // namespace

// The tests that kinematics_interface has for all of its plugins, on ours.
#include <gmock/gmock.h>

#include <kinematics_interface_tests/kinematics_interface_common_tests.hpp>

namespace {

struct Plugin {
  static std::string Name() { return "generative_ik_ros/KinematicsInterface"; }
  static void set_custom_node_parameters(const rclcpp_lifecycle::LifecycleNode::SharedPtr& node) {
    node->declare_parameter("alpha", 0.005);
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(GenerativeIK, TestPlugin, ::testing::Types<Plugin>);

}  // namespace

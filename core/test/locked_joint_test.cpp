// The locked joint of an arm of seven. Solutions on the curves of its angles are tested in
// test/core/test_seven_joints.py.
#include "../src/closed_form/locked_joint.hpp"

#include <gtest/gtest.h>

#include "../src/simd/constants.hpp"

namespace generative_ik::closed_form {
namespace {

TEST(LockedJoint, MovesTheTargetAsItMovesTheTip) {
  // A screw about an axis through a point turns the base or the tip; turned back, it is undone.
  LockedJoint joint{};
  joint.axis = {0.6, 0.0, 0.8};
  joint.point = {0.1, -0.2, 0.3};
  joint.unit = 1.0;
  joint.reach = kInfinity;
  const TipPose<double> pose = {{{0.0, -1.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}},
                                {0.5, 0.4, -0.3}};
  for (const bool prismatic : {false, true}) {
    for (const int index : {0, 6}) {
      joint.prismatic = prismatic;
      joint.index = index;
      const TipPose<double> back = poseWithout(joint, poseWithout(joint, pose, 0.7), -0.7);
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(lengthOf(back.rows[i] - pose.rows[i]), 0.0, 1e-14);
      }
      EXPECT_NEAR(lengthOf(back.origin - pose.origin), 0.0, 1e-14);
    }
  }
  // The point on the axis stays where it is when the base is turned.
  joint.prismatic = false;
  joint.index = 0;
  const TipPose<double> at_point = {{pose.rows[0], pose.rows[1], pose.rows[2]}, joint.point};
  EXPECT_NEAR(lengthOf(poseWithout(joint, at_point, 1.1).origin - joint.point), 0.0, 1e-14);
}

TEST(LockedJoint, LinesAndReachBoundWhatIsSampled) {
  LockedJoint rail{};
  rail.index = 0;
  rail.prismatic = true;
  rail.axis = {1.0, 0.0, 0.0};
  rail.unit = 0.5;
  rail.reach = 1.0;
  rail.start = {0.0, 0.0, 0.2};
  TipPose<double> pose = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, {2.0, 0.6, 0.2}};
  const auto [lower, upper] = boundsWithinReach(rail, pose, {-5.0, 5.0});
  EXPECT_NEAR(lower, 1.2, 2e-3);
  EXPECT_NEAR(upper, 2.8, 2e-3);
  pose.origin.y = 1.1;
  const auto nowhere = boundsWithinReach(rail, pose, {-5.0, 5.0});
  EXPECT_EQ(nowhere.lower, nowhere.upper);
  EXPECT_EQ(leverOf(rail), 1.0);
}

}  // namespace
}  // namespace generative_ik::closed_form

#include <gtest/gtest.h>

#include <cmath>
#include <generative_ik/pose_error.hpp>
#include <limits>
#include <stdexcept>
#include <utility>

#include "allocations.hpp"
#include "robots.hpp"

namespace generative_ik::test {
namespace {

// Central differences of a pose.
template <typename PoseOf>
Jacobian differences(const Vector& q, const PoseOf& poseOf) {
  const double step = 1e-6;
  Jacobian jacobian(6, q.size());
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    Vector ahead = q;
    Vector behind = q;
    ahead[i] += step;
    behind[i] -= step;
    jacobian.col(i) = poseError(poseOf(behind), poseOf(ahead)) / (2.0 * step);
  }
  return jacobian;
}

Jacobian differences(const Chain& chain, const Vector& q) {
  return differences(q, [&](const Vector& near) { return chain.tipInBase(near); });
}

// With the first joints alone a chain ends where the next one begins.
Chain firstJoints(const Chain& chain, int count, const Eigen::Isometry3d& tip_in_last_joint) {
  std::vector<Joint> joints = chain.joints();
  joints.resize(static_cast<std::size_t>(count));
  return {chain.variables(), std::move(joints), tip_in_last_joint};
}

TEST(Chain, TwoLinksAgreeWithTrigonometry) {
  const Chain chain = twoLinks();
  const Eigen::Isometry3d tip = chain.tipInBase(Eigen::Vector2d(0.3, 0.9));
  EXPECT_NEAR(tip.translation().x(), std::cos(0.3) + std::cos(1.2), 1e-14);
  EXPECT_NEAR(tip.translation().y(), std::sin(0.3) + std::sin(1.2), 1e-14);
  EXPECT_NEAR(Eigen::AngleAxisd(tip.linear()).angle(), 1.2, 1e-14);
}

TEST(Chain, JacobianIsTheDerivative) {
  std::mt19937 random(1);
  for (const Chain& chain : {twoLinks(), panda(), railArm()}) {
    for (int i = 0; i < 20; ++i) {
      const Vector q = randomPosition(chain, random);
      Jacobian jacobian;
      const Eigen::Isometry3d tip = chain.tipInBase(q, jacobian);
      EXPECT_TRUE(tip.isApprox(chain.tipInBase(q), 1e-14));
      EXPECT_LT((jacobian - differences(chain, q)).cwiseAbs().maxCoeff(), 1e-8);
    }
  }
}

TEST(Chain, TheFrameOfALinkAgreesWithTrigonometry) {
  ChainFrame elbow{1};
  elbow.in_last_joint.translation() = Eigen::Vector3d(1.0, 0.0, 0.5);
  Jacobian jacobian;
  const Eigen::Isometry3d frame =
      twoLinks().frameInBase(Eigen::Vector2d(0.3, 0.9), elbow, jacobian);
  EXPECT_LT((frame.translation() - Eigen::Vector3d(std::cos(0.3), std::sin(0.3), 0.5)).norm(),
            1e-14);
  Jacobian expected = Jacobian::Zero(6, 2);
  expected.col(0) << -std::sin(0.3), std::cos(0.3), 0, 0, 0, 1;
  EXPECT_LT((jacobian - expected).norm(), 1e-14);
}

TEST(Chain, EveryFrameMovesAsTheTipOfAShorterChain) {
  std::mt19937 random(2);
  Eigen::Isometry3d in_last_joint(Eigen::AngleAxisd(0.4, Eigen::Vector3d(1, 2, 2) / 3.0));
  in_last_joint.translation() = Eigen::Vector3d(0.3, -0.2, 0.1);
  for (const Chain& chain : {twoLinks(), panda(), railArm()}) {
    const Vector q = randomPosition(chain, random);
    const int joints = static_cast<int>(chain.joints().size());
    for (int count = 0; count <= joints; ++count) {
      const ChainFrame frame{count, in_last_joint};
      Jacobian jacobian;
      const Eigen::Isometry3d pose = chain.frameInBase(q, frame, jacobian);
      EXPECT_TRUE(pose.isApprox(chain.frameInBase(q, frame), 1e-14));
      EXPECT_TRUE(pose.isApprox(firstJoints(chain, count, in_last_joint).tipInBase(q), 1e-14));
      const Jacobian expected =
          differences(q, [&](const Vector& near) { return chain.frameInBase(near, frame); });
      EXPECT_LT((jacobian - expected).cwiseAbs().maxCoeff(), 1e-8);
    }
    EXPECT_THROW(chain.frameInBase(q, ChainFrame{joints + 1}), std::invalid_argument);
    EXPECT_THROW(chain.frameInBase(q, ChainFrame{-1}), std::invalid_argument);
  }
}

TEST(Chain, AFrameAllocatesNothing) {
  const Chain chain = panda();
  const Vector q = Vector::Constant(7, 0.3);
  Jacobian jacobian(6, 7);
  const long before = allocations();
  EXPECT_GT(before, 0) << "they are not counted";
  chain.frameInBase(q, ChainFrame{5}, jacobian);
  EXPECT_EQ(allocations(), before);
}

TEST(Chain, AMimicJointFollowsItsVariable) {
  const Variable variable{"drive", -1.0, 1.0};
  Joint driven;
  Joint mimic;
  mimic.joint_in_parent.translation().x() = 1.0;
  mimic.multiplier = -2.0;
  mimic.offset = 0.5;
  Eigen::Isometry3d tip_in_last = Eigen::Isometry3d::Identity();
  tip_in_last.translation().x() = 1.0;
  const Chain chain({variable}, {driven, mimic}, tip_in_last);
  const Vector q = Vector::Constant(1, 0.4);
  // The angle of the second link is 0.4 + (-2 * 0.4 + 0.5) = 0.1 rad.
  EXPECT_NEAR(chain.tipInBase(q).translation().y(), std::sin(0.4) + std::sin(0.1), 1e-14);
  Jacobian jacobian;
  chain.tipInBase(q, jacobian);
  EXPECT_LT((jacobian - differences(chain, q)).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(Chain, TravelWithoutEndIsNoMeasureOfTheRobot) {
  Variable slide{"slide", -999999.0, 999999.0};
  slide.revolute = false;
  Joint prismatic;
  prismatic.type = Joint::Type::kPrismatic;
  Joint elbow;
  elbow.variable = 1;
  const Chain chain({slide, Variable{"elbow", -1.0, 1.0}}, {prismatic, elbow});
  EXPECT_DOUBLE_EQ(chain.characteristicLength(), 5.0);
  EXPECT_EQ(chain.stepUnits(), (Vector(2) << 999999.0, 1.0).finished());
  EXPECT_GE(chain.reach(), 999999.0);
}

TEST(Chain, RefusesInvalidArguments) {
  const Variable valid{"a", -1.0, 1.0};
  Joint beyond;
  beyond.variable = 1;
  EXPECT_THROW(Chain({valid}, {beyond}), std::invalid_argument);
  Joint without_axis;
  without_axis.axis.setZero();
  EXPECT_THROW(Chain({valid}, {without_axis}), std::invalid_argument);
  EXPECT_THROW(Chain({{"a", 1.0, -1.0}}, {Joint()}), std::invalid_argument);
  EXPECT_THROW(Chain({{"a", std::nan(""), 1.0}}, {Joint()}), std::invalid_argument);
  EXPECT_THROW(Chain({{"a", std::nan(""), 1.0, true}}, {Joint()}), std::invalid_argument);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THROW(Chain({{"a", infinity, infinity}}, {Joint()}), std::invalid_argument);
  EXPECT_NO_THROW(Chain({{"a", -infinity, infinity}}, {Joint()}));
  const auto refused = [&](auto change) {
    Joint joint;
    change(joint);
    EXPECT_THROW(Chain({valid}, {joint}), std::invalid_argument);
  };
  for (const double number : {std::nan(""), infinity}) {
    refused([&](Joint& joint) { joint.axis.x() = number; });
    refused([&](Joint& joint) { joint.multiplier = number; });
    refused([&](Joint& joint) { joint.offset = number; });
    refused([&](Joint& joint) { joint.joint_in_parent.translation().x() = number; });
  }
  Eigen::Isometry3d scaled = Eigen::Isometry3d::Identity();
  scaled.linear() *= 1.1;
  refused([&](Joint& joint) { joint.joint_in_parent = scaled; });
  EXPECT_THROW(Chain({valid}, {Joint()}, scaled), std::invalid_argument);
}

TEST(Chain, AnAxisOfAnyLengthIsADirection) {
  for (const double length : {1e-300, 2.0, 1e300}) {
    Joint joint;
    joint.axis *= length;
    EXPECT_EQ(Chain({{"a", -1.0, 1.0}}, {joint}).joints()[0].axis, Eigen::Vector3d::UnitZ());
  }
}

TEST(Chain, RefusesConfigurationsOfAnotherLength) {
  const Chain chain = panda();
  Jacobian jacobian;
  for (const int size : {0, 6, 8}) {
    const Vector q = Vector::Zero(size);
    EXPECT_THROW(static_cast<void>(chain.tipInBase(q)), std::invalid_argument);
    EXPECT_THROW(chain.tipInBase(q, jacobian), std::invalid_argument);
  }
}

TEST(PoseError, IsTheMotionFromTipToTarget) {
  Eigen::Isometry3d tip = Eigen::Isometry3d::Identity();
  tip.rotate(Eigen::AngleAxisd(0.7, Eigen::Vector3d::UnitY()));
  tip.translation() = Eigen::Vector3d(1, 2, 3);
  Eigen::Isometry3d target = tip;
  target.translation() += Eigen::Vector3d(0.1, 0, 0);
  target.linear() = Eigen::AngleAxisd(-0.2, Eigen::Vector3d::UnitZ()) * tip.linear();
  Twist expected;
  expected << 0.1, 0, 0, 0, 0, -0.2;
  EXPECT_LT((poseError(tip, target) - expected).norm(), 1e-14);
}

TEST(PoseError, AFreePartIsWithinAnyTolerance) {
  Twist error;
  error << 5, 0, 0, 0, 0, 1e-6;
  EXPECT_FALSE(isWithin(error, Tolerance{}));
  EXPECT_TRUE(isWithin(error, Tolerance{std::numeric_limits<double>::infinity(), 1e-5}));
}

}  // namespace
}  // namespace generative_ik::test

// What makes targets of a device in a hand, in C++; answers worked out by hand are in
// test/tracking. Here: filters of both kinds of targets, and no allocation.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <generative_ik/teleoperation.hpp>
#include <limits>
#include <random>
#include <stdexcept>

#include "allocations.hpp"

namespace generative_ik::test {
namespace {

constexpr double kHalfATurn = 3.14159265358979323846;
constexpr double kPeriod = 0.002;

Eigen::Isometry3d poseAt(const Eigen::Vector3d& position, const Eigen::Vector3d& turn) {
  Twist motion;
  motion << position, turn;
  return movedBy(Eigen::Isometry3d::Identity(), motion);
}

Twist twistOf(double vx, double vy, double vz, double wx, double wy, double wz) {
  return (Twist() << vx, vy, vz, wx, wy, wz).finished();
}

const Eigen::Matrix3d kSameAxes = Eigen::Matrix3d::Identity();

TEST(Teleoperation, MovedByIsTheInverseOfPoseError) {
  std::mt19937 random(0);
  std::normal_distribution<double> normal;
  const auto some = [&] {
    return Eigen::Vector3d(normal(random), normal(random), normal(random));
  };
  const Eigen::Isometry3d start = poseAt({0.5, 0.1, 0.3}, {0.3, -2.0, 0.4});
  for (int i = 0; i < 500; ++i) {
    // From a nanoradian to half a turn.
    const double angle = i == 0 ? 0.0 : kHalfATurn * std::pow(10.0, -9.0 * (i % 50) / 49.0);
    Twist motion;
    motion << some(), 0.999999 * angle * some().normalized();
    const Eigen::Isometry3d moved = movedBy(start, motion);
    EXPECT_LT((poseError(start, moved) - motion).norm(), 1e-9);
    const Eigen::Matrix3d rotation = moved.linear();
    EXPECT_LT((rotation * rotation.transpose() - kSameAxes).norm(), 1e-14);
    const Eigen::Vector3d axis = motion.tail<3>().normalized();
    const Eigen::Matrix3d turned =
        Eigen::AngleAxisd(motion.tail<3>().norm(), axis) * start.linear();
    EXPECT_LT((rotation - turned).norm(), 1e-14);
  }
}

TEST(Teleoperation, AFilterWithoutCutoffHandsOnWhatItGets) {
  TargetFilter none(kPeriod, 0.0);
  const Eigen::Isometry3d tip = poseAt({0.1, 0, 0}, {0, 0.3, 0});
  const Eigen::Isometry3d target = poseAt({0.5, 0.1, 0.3}, {0.3, -2.0, 0.4});
  EXPECT_EQ(none.follow(target, tip).matrix(), target.matrix());
  const Eigen::Isometry3d jogged = none.jog(twistOf(1.0, 0, 0, 0, 0, 0), kSameAxes, tip);
  EXPECT_NEAR(jogged.translation().x(), 0.1 + kPeriod, 1e-12);
}

TEST(Teleoperation, VelocitiesAreFilteredBeforeTheyMoveTheTarget) {
  TargetFilter filter(kPeriod, 5.0);
  Eigen::Isometry3d tip = Eigen::Isometry3d::Identity();
  double before = 0.0;
  for (int k = 0; k < 500; ++k) {
    tip = filter.jog(twistOf(0.2, 0, 0, 0, 0, 0), kSameAxes, tip);
    const double speed = (tip.translation().x() - before) / kPeriod;
    before = tip.translation().x();
    // Two filters of first order: no step, and no overshoot.
    EXPECT_LT(speed, 0.2 + 1e-12);
    EXPECT_LT(k == 0 ? speed : 0.0, 0.01);
  }
  EXPECT_NEAR(before, 0.2 * (500 * kPeriod - 1.0 / (5.0 * kHalfATurn)), 0.002);
}

TEST(Teleoperation, PosesBeginWhereTheTipIsAfterAStopAndAfterVelocities) {
  TargetFilter filter(kPeriod, 5.0);
  const Eigen::Isometry3d far = poseAt({1, 0, 0}, {0, 0, 1});
  const Eigen::Isometry3d tip = Eigen::Isometry3d::Identity();
  for (int k = 0; k < 1000; ++k) {
    filter.follow(far, tip);
  }
  EXPECT_GT(filter.follow(far, tip).translation().x(), 0.99);
  filter.reset();
  EXPECT_LT(filter.follow(far, tip).translation().x(), 0.01);
  for (int k = 0; k < 1000; ++k) {
    filter.follow(far, tip);
  }
  filter.jog(twistOf(0, 0, 0, 0, 0, 0), kSameAxes, tip);
  EXPECT_LT(filter.follow(far, tip).translation().x(), 0.01);
}

TEST(Teleoperation, NothingIsAllocated) {
  TargetFilter filter(kPeriod, 5.0);
  Clutch clutch;
  const Eigen::Isometry3d tip = poseAt({0.1, 0, 0}, {0, 0.3, 0});
  const long before = allocations();
  Eigen::Isometry3d target = tip;
  for (int i = 0; i < 10; ++i) {
    target = filter.follow(target, tip);
    target = filter.jog(twistOf(0.1, 0, 0, 0, 0, 1), kSameAxes, target);
    target = clutch.step(target, tip);
    filter.reset();
  }
  EXPECT_EQ(allocations(), before);
  EXPECT_TRUE(target.matrix().allFinite());
}

TEST(Teleoperation, WhatIsNotFiniteStopsATrackerForThatStepAlone) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const Eigen::Isometry3d tip = poseAt({0.5, 0.1, 0.3}, {0.3, -2.0, 0.4});
  const Eigen::Isometry3d next = movedBy(tip, twistOf(0.1, 0, 0, 0, 0, 0.2));
  const Eigen::Isometry3d nowhere = movedBy(tip, twistOf(kNaN, 0, 0, 0, kNaN, 0));
  const Twist fast = twistOf(0.1, 0, 0, 0, 0, 0.2);
  const Twist unknown = twistOf(0, 0, kNaN, 0, 0, 0);
  // Each twice, one of them with a step in between that has no numbers.
  Clutch clutches[2];
  Jog jogs[2] = {Jog(kPeriod), Jog(kPeriod)};
  TargetFilter followers[2] = {TargetFilter(kPeriod, 2.0), TargetFilter(kPeriod, 2.0)};
  TargetFilter joggers[2] = {TargetFilter(kPeriod, 2.0), TargetFilter(kPeriod, 2.0)};
  const auto steps = [&](int i, const Eigen::Isometry3d& pose, const Twist& velocity) {
    return std::array<Eigen::Isometry3d, 4>{
        clutches[i].step(pose, tip), jogs[i].step(velocity, kSameAxes, tip),
        followers[i].follow(pose, tip), joggers[i].jog(velocity, kSameAxes, tip)};
  };
  for (int i = 0; i < 2; ++i) {
    steps(i, tip, fast);
  }
  for (const Eigen::Isometry3d& target : steps(1, nowhere, unknown)) {
    EXPECT_FALSE(target.matrix().allFinite());
  }
  const Eigen::Matrix3d no_axes = Eigen::Matrix3d::Constant(kNaN);
  EXPECT_FALSE(jogs[1].step(fast, no_axes, tip).matrix().allFinite());
  EXPECT_FALSE(joggers[1].jog(fast, no_axes, tip).matrix().allFinite());
  EXPECT_FALSE(joggers[1].jog(fast, kSameAxes, nowhere).matrix().allFinite());
  const auto expected = steps(0, next, fast);
  const auto found = steps(1, next, fast);
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_EQ(found[k].matrix(), expected[k].matrix()) << k;
  }
}

TEST(Teleoperation, WhatIsTooLargeStopsATrackerForThatStepAlone) {
  constexpr double kMost = std::numeric_limits<double>::max();
  const Eigen::Isometry3d tip = poseAt({0.5, 0.1, 0.3}, {0.3, -2.0, 0.4});
  const Eigen::Isometry3d next = movedBy(tip, twistOf(0.1, 0, 0, 0, 0, 0.2));
  const Eigen::Isometry3d beyond = movedBy(tip, twistOf(kMost, -kMost, 0, 0, 0, 0));
  const Twist fast = twistOf(0.1, 0, 0, 0, 0, 0.2);
  const Twist endless = twistOf(kMost, -kMost, 0, 0, kMost, kMost);
  Clutch clutches[2] = {Clutch(2.0), Clutch(2.0)};
  TargetFilter followers[2] = {TargetFilter(kPeriod, 200.0), TargetFilter(kPeriod, 200.0)};
  Jog jogs[2] = {Jog(10.0), Jog(10.0)};
  const auto steps = [&](int i, const Eigen::Isometry3d& pose, const Twist& velocity) {
    return std::array<Eigen::Isometry3d, 3>{clutches[i].step(pose, tip),
                                            followers[i].follow(pose, tip),
                                            jogs[i].step(velocity, kSameAxes, tip)};
  };
  for (int i = 0; i < 2; ++i) {
    steps(i, tip, fast);
  }
  for (const Eigen::Isometry3d& target : steps(1, beyond, endless)) {
    EXPECT_FALSE(target.matrix().allFinite());
  }
  const auto expected = steps(0, next, fast);
  const auto found = steps(1, next, fast);
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_EQ(found[k].matrix(), expected[k].matrix()) << k;
  }
  TargetFilter jogger(kPeriod, 2.0);
  for (const double sign : {1.0, -1.0, 1.0}) {
    jogger.jog(sign * endless, kSameAxes, tip);
  }
  EXPECT_TRUE(jogger.jog(fast, kSameAxes, tip).matrix().allFinite());
}

TEST(Teleoperation, ATargetNeverGoesTheOtherWayRound) {
  // Of steps that are half a turn and more, too.
  const Eigen::Isometry3d tip = poseAt({0.5, 0.1, 0.3}, {0.3, -2.0, 0.4});
  for (const double speed : {1.0, 100.0, 400.0, 1e10, 1e200}) {
    Jog jog(0.01, {0.05, 0.2});
    const Twist velocity = twistOf(speed, 0, 0, 0, 0, speed);
    const Twist lead = poseError(tip, jog.step(velocity, kSameAxes, tip));
    EXPECT_NEAR(lead[0], std::min(0.01 * speed, 0.05), 1e-12);
    EXPECT_NEAR(lead[5], std::min(0.01 * speed, 0.2), 1e-12);
  }
}

TEST(Teleoperation, AFilterBeginsAtATipThatIsSomewhere) {
  const Eigen::Isometry3d tip = poseAt({0.5, 0.1, 0.3}, {0.3, -2.0, 0.4});
  Eigen::Isometry3d nowhere = tip;
  nowhere.translation().x() = std::numeric_limits<double>::infinity();
  TargetFilter filter(kPeriod, 2.0);
  EXPECT_FALSE(filter.follow(tip, nowhere).matrix().allFinite());
  EXPECT_TRUE(filter.follow(tip, tip).isApprox(tip));
  filter.reset();
  EXPECT_FALSE(filter.jog(Twist::Zero(), kSameAxes, nowhere).matrix().allFinite());
  EXPECT_TRUE(filter.follow(tip, tip).isApprox(tip));
}

TEST(Teleoperation, NumbersThatOverflowAreForgotten) {
  constexpr double kMost = std::numeric_limits<double>::max();
  const Eigen::Isometry3d tip = poseAt({0.5, 0.1, 0.3}, {0.3, -2.0, 0.4});
  Jog jog(kPeriod);
  TargetFilter filter(kPeriod, 2.0);
  for (const double speed : {kMost, -kMost, kMost}) {
    jog.step(Twist::Constant(speed), kSameAxes, tip);
    filter.jog(Twist::Constant(speed), kSameAxes, tip);
  }
  EXPECT_TRUE(jog.step(Twist::Zero(), kSameAxes, tip).matrix().allFinite());
  EXPECT_TRUE(filter.jog(Twist::Zero(), kSameAxes, tip).matrix().allFinite());
}

TEST(Teleoperation, RefusesWhatCannotBe) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(Clutch(0.0), std::invalid_argument);
  EXPECT_THROW(Clutch(1.0, -1.0), std::invalid_argument);
  EXPECT_NO_THROW(Clutch(1.0, 0.0));
  EXPECT_THROW(Clutch(1e300), std::invalid_argument);
  EXPECT_THROW(Clutch(1.0, 1e7), std::invalid_argument);
  EXPECT_THROW(Clutch(nan, 1.0), std::invalid_argument);
  EXPECT_THROW(Clutch(1.0, 1.0, Eigen::Matrix3d::Constant(nan)), std::invalid_argument);
  EXPECT_THROW(Jog(0.0), std::invalid_argument);
  EXPECT_THROW(Jog(0.01, {0.1, -1.0}), std::invalid_argument);
  EXPECT_THROW(PoseFilter(nan, 1.0), std::invalid_argument);
  EXPECT_THROW(PoseFilter(0.01, 0.0), std::invalid_argument);
  EXPECT_THROW(PoseFilter(1e200, 1e200), std::invalid_argument);
  EXPECT_THROW(TargetFilter(0.01, -1.0), std::invalid_argument);
}

}  // namespace
}  // namespace generative_ik::test

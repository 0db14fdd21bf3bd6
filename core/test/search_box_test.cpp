#include <gtest/gtest.h>

#include <cmath>
#include <generative_ik/search_box.hpp>
#include <limits>
#include <stdexcept>

#include "../src/simd/constants.hpp"
#include "robots.hpp"

namespace generative_ik::test {
namespace {

Variable revolute(double lower, double upper) {
  return {"revolute", lower, upper, false, true};
}

Variable continuous() {
  const double infinity = std::numeric_limits<double>::infinity();
  return {"continuous", -infinity, infinity, true, true};
}

Variable prismatic(double lower, double upper) {
  return {"prismatic", lower, upper, false, false};
}

TEST(SearchBox, IsTheIntersectionOfJointAndConsistencyLimits) {
  const SearchBox box({revolute(-1.0, 1.0), prismatic(0.0, 2.0), continuous()},
                      Eigen::Vector3d(0.9, 1.0, 5.0), {0.3, 0.5, 0.2});
  EXPECT_TRUE(box.lower().isApprox(Eigen::Vector3d(0.6, 0.5, 4.8)));
  EXPECT_TRUE(box.upper().isApprox(Eigen::Vector3d(1.0, 1.5, 5.2)));
  EXPECT_TRUE(box.contains(Eigen::Vector3d(1.0, 0.5, 5.2)));
  EXPECT_FALSE(box.contains(Eigen::Vector3d(1.01, 0.5, 5.2)));
  EXPECT_FALSE(box.contains(Eigen::Vector3d(1.0, 0.5, std::nan(""))));
}

TEST(SearchBox, IsEmptyIfTheSeedIsTooFarOutside) {
  EXPECT_FALSE(SearchBox({revolute(-1, 1)}, Vector::Constant(1, 1.5)).empty());
  EXPECT_TRUE(SearchBox({revolute(-1, 1)}, Vector::Constant(1, 1.5), {0.4}).empty());
}

TEST(SearchBox, ContinuousJointsMoveToTheTurnNearestToTheSeed) {
  const SearchBox box({continuous()}, Vector::Constant(1, 10.0));
  const Vector q = box.nearestTurn(Vector::Constant(1, 0.5));
  EXPECT_NEAR(std::remainder(q[0] - 0.5, kTurn), 0.0, 1e-12);
  EXPECT_LE(std::abs(q[0] - 10.0), kTurn / 2);
  EXPECT_NEAR(box.seedDistance(Vector::Constant(1, 10.1 + 3 * kTurn)), 0.1, 1e-12);
}

TEST(SearchBox, JointsWithMoreThanOneTurnMoveToTheNearestTurnInsideTheirLimits) {
  const SearchBox box({revolute(-kTurn, kTurn)}, Vector::Constant(1, 6.0));
  EXPECT_NEAR(box.nearestTurn(Vector::Constant(1, -0.5))[0], kTurn - 0.5, 1e-12);
  // One more turn would be nearer, but is beyond the limit.
  EXPECT_NEAR(box.nearestTurn(Vector::Constant(1, 0.5))[0], 0.5, 1e-12);
}

TEST(SearchBox, JointsMimickedByAFractionalMultiplierAreNotPeriodic) {
  Joint leader;
  Joint follower;
  follower.joint_in_parent.translation().x() = 1.0;
  follower.multiplier = 1.5;
  const Chain chain({revolute(-kTurn, kTurn)}, {leader, follower});
  const SearchBox box(chain.variables(), Vector::Constant(1, 6.0));
  EXPECT_EQ(box.nearestTurn(Vector::Constant(1, -0.5))[0], -0.5);
  follower.multiplier = -2.0;
  const Chain periodic({revolute(-kTurn, kTurn)}, {leader, follower});
  const SearchBox other(periodic.variables(), Vector::Constant(1, 6.0));
  EXPECT_NEAR(other.nearestTurn(Vector::Constant(1, -0.5))[0], kTurn - 0.5, 1e-12);
}

TEST(SearchBox, PrismaticJointsAreNotPeriodic) {
  const SearchBox box({prismatic(-10, 10)}, Vector::Zero(1));
  EXPECT_EQ(box.nearestTurn(Vector::Constant(1, 7.0))[0], 7.0);
  EXPECT_EQ(box.seedDistance(Vector::Constant(1, 7.0)), 7.0);
}

TEST(SearchBox, RoundingBeyondALimitIsClamped) {
  const SearchBox box({revolute(-1, 1)}, Vector::Zero(1));
  EXPECT_EQ(box.nearestTurn(Vector::Constant(1, 1.0 + 1e-12))[0], 1.0);
}

TEST(SearchBox, WhatCountsAsInsideIsNeverLeftOutside) {
  for (const double limit : {0.0873, 1.0, 1.7628, 2.8973}) {
    const SearchBox box({revolute(-limit, limit)}, Vector::Zero(1));
    for (const double beyond : {limit + 1e-9, -limit - 1e-9}) {
      const Vector q = box.nearestTurn(Vector::Constant(1, beyond));
      EXPECT_TRUE(!box.contains(q) || std::abs(q[0]) == limit) << beyond;
    }
  }
}

TEST(SearchBox, AJointThatIsHeldIsAtTheLimitFromBeyondByRounding) {
  for (const double side : {1.0, -1.0}) {
    const Vector seed = Vector::Constant(1, side * (2.8973 + 5e-10));
    const SearchBox box({revolute(-2.8973, 2.8973)}, seed, {0.0});
    EXPECT_EQ(box.lower()[0], side * 2.8973);
    EXPECT_EQ(box.upper()[0], side * 2.8973);
    EXPECT_FALSE(box.empty());
    EXPECT_TRUE(
        SearchBox({revolute(-2.8973, 2.8973)}, Vector::Constant(1, side * 2.9), {0.0}).empty());
  }
}

TEST(SearchBox, SeedDistanceIsASum) {
  const SearchBox box({revolute(-3, 3), prismatic(-1, 1)}, Eigen::Vector2d(1.0, 0.5));
  EXPECT_NEAR(box.seedDistance(Eigen::Vector2d(-1.0, 0.25)), 2.25, 1e-12);
  EXPECT_NEAR(box.largestMove(Eigen::Vector2d(-1.0, 0.25)), 2.0, 1e-12);
}

TEST(SearchBox, RefusesInvalidArguments) {
  const std::vector<Variable> one{revolute(-1, 1)};
  EXPECT_THROW(SearchBox(one, Vector::Zero(2)), std::invalid_argument);
  EXPECT_THROW(SearchBox(one, Vector::Constant(1, std::nan(""))), std::invalid_argument);
  EXPECT_THROW(SearchBox(one, Vector::Zero(1), {0.1, 0.1}), std::invalid_argument);
  EXPECT_THROW(SearchBox(one, Vector::Zero(1), {-0.1}), std::invalid_argument);
  EXPECT_THROW(SearchBox(one, Vector::Zero(1), {std::nan("")}), std::invalid_argument);
  const SearchBox box(one);
  for (const Vector& q : {Vector(Vector::Zero(0)), Vector(Vector::Zero(2))}) {
    EXPECT_THROW((void)box.contains(q), std::invalid_argument);
    EXPECT_THROW((void)box.nearestTurn(q), std::invalid_argument);
    EXPECT_THROW((void)box.clamp(q), std::invalid_argument);
    EXPECT_THROW((void)box.seedDistance(q), std::invalid_argument);
    EXPECT_THROW((void)box.largestMove(q), std::invalid_argument);
  }
}

}  // namespace
}  // namespace generative_ik::test

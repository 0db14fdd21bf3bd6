#include <gtest/gtest.h>

#include <cmath>
#include <generative_ik_core/search_box.hpp>
#include <limits>
#include <stdexcept>

#include "robots.hpp"

namespace generative_ik::test {
namespace {

constexpr double kTurn = 6.283185307179586;

Variable hinge(double lower, double upper) {
  return {"hinge", lower, upper, false, true};
}

Variable endless() {
  const double infinity = std::numeric_limits<double>::infinity();
  return {"endless", -infinity, infinity, true, true};
}

Variable slide(double lower, double upper) {
  return {"slide", lower, upper, false, false};
}

TEST(SearchBox, IsWhereJointAndConsistencyLimitsMeet) {
  const SearchBox box({hinge(-1.0, 1.0), slide(0.0, 2.0), endless()},
                      Eigen::Vector3d(0.9, 1.0, 5.0), {0.3, 0.5, 0.2});
  EXPECT_TRUE(box.lower().isApprox(Eigen::Vector3d(0.6, 0.5, 4.8)));
  EXPECT_TRUE(box.upper().isApprox(Eigen::Vector3d(1.0, 1.5, 5.2)));
  EXPECT_TRUE(box.contains(Eigen::Vector3d(1.0, 0.5, 5.2)));
  EXPECT_FALSE(box.contains(Eigen::Vector3d(1.01, 0.5, 5.2)));
  EXPECT_FALSE(box.contains(Eigen::Vector3d(1.0, 0.5, std::nan(""))));
}

TEST(SearchBox, IsEmptyWhereTheSeedIsTooFarOutside) {
  EXPECT_FALSE(SearchBox({hinge(-1, 1)}, Vector::Constant(1, 1.5)).empty());
  EXPECT_TRUE(SearchBox({hinge(-1, 1)}, Vector::Constant(1, 1.5), {0.4}).empty());
}

TEST(SearchBox, EndlessJointsComeToTheTurnOfTheSeed) {
  const SearchBox box({endless()}, Vector::Constant(1, 10.0));
  const Vector q = box.nearestTurn(Vector::Constant(1, 0.5));
  EXPECT_NEAR(std::remainder(q[0] - 0.5, kTurn), 0.0, 1e-12);
  EXPECT_LE(std::abs(q[0] - 10.0), kTurn / 2);
  EXPECT_NEAR(box.seedDistance(Vector::Constant(1, 10.1 + 3 * kTurn)), 0.1, 1e-12);
}

TEST(SearchBox, WideJointsComeToTheNearestTurnInsideTheirLimits) {
  const SearchBox box({hinge(-kTurn, kTurn)}, Vector::Constant(1, 6.0));
  EXPECT_NEAR(box.nearestTurn(Vector::Constant(1, -0.5))[0], kTurn - 0.5, 1e-12);
  // A turn further it would be nearer still, but beyond the limit.
  EXPECT_NEAR(box.nearestTurn(Vector::Constant(1, 0.5))[0], 0.5, 1e-12);
}

TEST(SearchBox, JointsThatOthersFollowByAPartOfATurnStayWhereTheyAre) {
  Joint leader;
  Joint follower;
  follower.joint_in_parent.translation().x() = 1.0;
  follower.multiplier = 1.5;
  const Chain chain({hinge(-kTurn, kTurn)}, {leader, follower});
  const SearchBox box(chain.variables(), Vector::Constant(1, 6.0));
  EXPECT_EQ(box.nearestTurn(Vector::Constant(1, -0.5))[0], -0.5);
  follower.multiplier = -2.0;
  const Chain periodic({hinge(-kTurn, kTurn)}, {leader, follower});
  const SearchBox other(periodic.variables(), Vector::Constant(1, 6.0));
  EXPECT_NEAR(other.nearestTurn(Vector::Constant(1, -0.5))[0], kTurn - 0.5, 1e-12);
}

TEST(SearchBox, LengthsAreNeverTurned) {
  const SearchBox box({slide(-10, 10)}, Vector::Zero(1));
  EXPECT_EQ(box.nearestTurn(Vector::Constant(1, 7.0))[0], 7.0);
  EXPECT_EQ(box.seedDistance(Vector::Constant(1, 7.0)), 7.0);
}

TEST(SearchBox, RoundingAtALimitIsPutRight) {
  const SearchBox box({hinge(-1, 1)}, Vector::Zero(1));
  EXPECT_EQ(box.nearestTurn(Vector::Constant(1, 1.0 + 1e-12))[0], 1.0);
}

TEST(SearchBox, DistanceToTheSeedAddsUp) {
  const SearchBox box({hinge(-3, 3), slide(-1, 1)}, Eigen::Vector2d(1.0, 0.5));
  EXPECT_NEAR(box.seedDistance(Eigen::Vector2d(-1.0, 0.25)), 2.25, 1e-12);
  EXPECT_NEAR(box.largestMove(Eigen::Vector2d(-1.0, 0.25)), 2.0, 1e-12);
}

TEST(SearchBox, RefusesWhatDoesNotFit) {
  const std::vector<Variable> one{hinge(-1, 1)};
  EXPECT_THROW(SearchBox(one, Vector::Zero(2)), std::invalid_argument);
  EXPECT_THROW(SearchBox(one, Vector::Constant(1, std::nan(""))), std::invalid_argument);
  EXPECT_THROW(SearchBox(one, Vector::Zero(1), {0.1, 0.1}), std::invalid_argument);
  EXPECT_THROW(SearchBox(one, Vector::Zero(1), {-0.1}), std::invalid_argument);
  EXPECT_THROW(SearchBox(one, Vector::Zero(1), {std::nan("")}), std::invalid_argument);
}

}  // namespace
}  // namespace generative_ik::test

#include <gtest/gtest.h>

#include <cmath>
#include <generative_ik/candidates.hpp>
#include <generative_ik/pose_error.hpp>

#include "robots.hpp"

namespace generative_ik::test {
namespace {

// The other branch, elbow up or down: mirror the elbow about the line from base to tip.
Eigen::Vector2d otherElbow(const Eigen::Vector2d& q) {
  return {q[0] + q[1], -q[1]};
}

// Candidates for the tip's position at `goal`.
struct Listed {
  Listed(const Chain& chain, const Vector& goal, const Vector& seed,
         const ConsistencyLimits& limits = {})
      : box(chain.variables(), seed, limits),
        candidates(box, [&chain, target = chain.tipInBase(goal)](const Vector& q) {
          // Branches have different orientations.
          return isWithin(poseError(chain.tipInBase(q), target), {1e-5, 10.0});
        }) {}

  SearchBox box;
  CandidateList candidates;
};

TEST(CandidateList, KeepsDistinctSolutions) {
  const Chain chain = twoLinks();
  const Eigen::Vector2d goal(0.2, 1.0);
  Listed listed(chain, goal, Eigen::Vector2d::Zero());
  CandidateList& candidates = listed.candidates;
  EXPECT_TRUE(candidates.add(goal));
  EXPECT_FALSE(candidates.add(goal)) << "duplicate";
  EXPECT_FALSE(candidates.add(goal + Eigen::Vector2d(1e-6, 0))) << "duplicate";
  EXPECT_FALSE(candidates.add(Eigen::Vector2d(0.2, 1.1))) << "not at the target";
  EXPECT_FALSE(candidates.add(Eigen::Vector2d(std::nan(""), 1.0)));
  EXPECT_FALSE(candidates.add(Vector::Zero(3))) << "wrong number of joints";
  EXPECT_TRUE(candidates.add(otherElbow(goal)));
}

TEST(CandidateList, DuplicatesAreAlikeInEachJoint) {
  const Chain chain = twoLinks();
  const SearchBox box(chain.variables(), Eigen::Vector2d::Zero());
  CandidateList candidates(box, [](const Vector&) { return true; });
  for (const double offset : {0.3, 0.2, 0.1, 0.0, -0.1, -0.2}) {
    EXPECT_TRUE(candidates.add(Eigen::Vector2d(offset, 0.5 - offset))) << "of the same sum";
  }
  constexpr double kApart = 0.9 * kSameSolution;
  EXPECT_FALSE(candidates.add(Eigen::Vector2d(0.1 + kApart, 0.4 + kApart)));
  EXPECT_FALSE(candidates.add(Eigen::Vector2d(0.1 - kApart, 0.4 - kApart)));
  EXPECT_FALSE(candidates.add(Eigen::Vector2d(0.1 - kApart, 0.4 + kApart)));
  EXPECT_TRUE(candidates.add(Eigen::Vector2d(0.1, 0.4 + 1.2 * kSameSolution)));
}

TEST(CandidateList, DropsConfigurationsOutsideTheLimits) {
  const Chain chain = twoLinks();
  const Eigen::Vector2d goal(0.2, 1.0);
  Listed listed(chain, goal, goal, {0.1, 0.1});
  CandidateList& candidates = listed.candidates;
  EXPECT_FALSE(candidates.add(otherElbow(goal))) << "consistency limits";
  EXPECT_TRUE(candidates.add(goal));
}

TEST(CandidateList, ReturnsTheNearestFirstAndEachOnce) {
  const Chain chain = twoLinks();
  const Eigen::Vector2d goal(0.2, 1.0);
  Listed listed(chain, goal, otherElbow(goal) + Eigen::Vector2d(0.1, 0.1));
  CandidateList& candidates = listed.candidates;
  candidates.add(goal);
  candidates.add(otherElbow(goal));
  const std::vector<Vector> taken = candidates.takeNearestFirst();
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_TRUE(taken[0].isApprox(otherElbow(goal)));
  EXPECT_TRUE(taken[1].isApprox(goal));
  EXPECT_TRUE(candidates.takeNearestFirst().empty());
  EXPECT_FALSE(candidates.add(goal)) << "duplicate of one already taken";
}

TEST(CandidateList, MovesContinuousJointsTowardsTheSeed) {
  const Chain chain = railArm();
  const Eigen::Vector3d goal(0.1, 0.5, 0.3);
  Listed listed(chain, goal, goal + Eigen::Vector3d(0, 12.0, 0));
  CandidateList& candidates = listed.candidates;
  ASSERT_TRUE(candidates.add(goal));
  EXPECT_NEAR(candidates.takeNearestFirst()[0][1], 0.5 + 4.0 * std::acos(0.0) * 2.0, 1e-12);
}

TEST(CandidateList, ComesBackAtOtherTurnsWithinTheLimits) {
  std::vector<Variable> variables(4);
  variables[0].lower = variables[1].lower = -6.3;
  variables[0].upper = variables[1].upper = 6.3;
  variables[2].continuous = true;
  variables[3].lower = -3.0;
  variables[3].upper = 3.0;
  const SearchBox box(variables, Vector::Zero(4));
  CandidateList candidates(box, [](const Vector& /*q*/) { return true; });
  EXPECT_TRUE(candidates.turned(100).empty());
  const Vector q = Eigen::Vector4d(1.0, -2.0, 0.5, 0.5);
  EXPECT_TRUE(candidates.add(q));
  const std::vector<Vector> turned = candidates.turned(100);
  const double turn = 2.0 * std::acos(-1.0);
  ASSERT_EQ(turned.size(), 3U);
  EXPECT_NEAR((turned[0] - q - turn * Eigen::Vector4d(0, 1, 0, 0)).norm(), 0.0, 1e-12);
  EXPECT_NEAR((turned[1] - q - turn * Eigen::Vector4d(-1, 0, 0, 0)).norm(), 0.0, 1e-12);
  EXPECT_NEAR((turned[2] - q - turn * Eigen::Vector4d(-1, 1, 0, 0)).norm(), 0.0, 1e-12);
  EXPECT_EQ(candidates.turned(1).size(), 1U);
}

TEST(CandidateList, CountsTurnsOfLimitsWithoutNumber) {
  std::vector<Variable> variables(1);
  variables[0].lower = -1e12;
  variables[0].upper = 1e12;
  const SearchBox box(variables, Vector::Zero(1));
  CandidateList candidates(box, [](const Vector& /*q*/) { return true; });
  EXPECT_TRUE(candidates.add(Vector::Constant(1, 0.5)));
  EXPECT_LE(candidates.turned(10).size(), 11U);
}

TEST(OrderByCost, IsStableAndPutsNaNLast) {
  std::vector<Vector> candidates;
  for (const double value : {3.0, 1.0, 2.0, -1.0}) {
    candidates.emplace_back(Vector::Constant(1, value));
  }
  const auto ordered = orderByCost(candidates, [](const Vector& q) {
    return q[0] < 0.0 ? std::nan("") : (q[0] > 1.5 ? 7.0 : 0.0);
  });
  ASSERT_EQ(ordered.size(), 4U);
  EXPECT_EQ(ordered[0][0], 1.0);
  EXPECT_EQ(ordered[1][0], 3.0);
  EXPECT_EQ(ordered[2][0], 2.0);
  EXPECT_EQ(ordered[3][0], -1.0) << "a cost of NaN";
}

}  // namespace
}  // namespace generative_ik::test

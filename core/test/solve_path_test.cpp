// Paths from C++: what a path promises, and why it ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <generative_ik/path.hpp>
#include <stdexcept>
#include <vector>

#include "../src/simd/constants.hpp"
#include "robots.hpp"

namespace generative_ik::test {
namespace {

// Bent, and away from the limits.
Vector bent(const Chain& chain) {
  Vector q(chain.size());
  if (chain.size() == 7) {
    q << 0.1, -0.4, 0.2, -2.0, 0.1, 1.6, 0.8;
  } else {
    q << 0.4, -1.2, 1.5, -0.6, 1.3, 0.2;
  }
  return q;
}

// A circle through where the tip is in a configuration.
PathRequest circle(const Chain& chain, const Vector& q, int poses = 60) {
  PathRequest request;
  for (int t = 0; t < poses; ++t) {
    const double angle = kTurn * t / (poses - 1);
    Eigen::Isometry3d pose = chain.tipInBase(q);
    pose.translation().y() += 0.08 * std::sin(angle);
    pose.translation().z() -= 0.08 * (1.0 - std::cos(angle));
    request.targets_in_base.push_back(pose);
  }
  return request;
}

double largestStep(const IKPath& path) {
  double largest = 0.0;
  for (std::size_t k = 1; k < path.solutions.size(); ++k) {
    const Vector step = path.solutions[k].q - path.solutions[k - 1].q;
    largest = std::max(largest, step.cwiseAbs().maxCoeff());
  }
  return largest;
}

void expectFollowed(const Chain& chain, const PathRequest& request, const IKPath& path) {
  for (std::size_t k = 0; k < path.solutions.size(); ++k) {
    const Solution& solution = path.solutions[k];
    for (Eigen::Index v = 0; v < chain.size(); ++v) {
      const Variable& variable = chain.variables()[static_cast<std::size_t>(v)];
      EXPECT_GE(solution.q[v], variable.lower);
      EXPECT_LE(solution.q[v], variable.upper);
    }
    const Twist error = poseError(chain.tipInBase(solution.q), request.targets_in_base[k]);
    EXPECT_TRUE(isWithin(error, {}));
    EXPECT_LE(solution.position_error, 1e-5);
  }
}

TEST(SolvePath, FollowsAllPosesInSmallSteps) {
  for (const Chain& chain : {panda(), ur10()}) {
    const Vector start = bent(chain);
    const PathRequest request = circle(chain, start);
    const IKPath path = IKSolver(chain).solvePath(request);
    EXPECT_EQ(path.status, PathStatus::kComplete);
    ASSERT_EQ(path.solutions.size(), request.targets_in_base.size());
    expectFollowed(chain, request, path);
    EXPECT_LE(largestStep(path), 0.2);
  }
}

TEST(SolvePath, BeginsAndEndsWhereItIsTold) {
  const Chain chain = panda();
  const Vector start = bent(chain);
  PathRequest request = circle(chain, start);
  request.seed_state = start;
  request.end_state = start;
  const IKSolver solver(chain);
  const IKPath path = solver.solvePath(request);
  ASSERT_EQ(path.status, PathStatus::kComplete);
  EXPECT_LE((path.solutions.front().q - start).cwiseAbs().maxCoeff(), 0.2);
  EXPECT_LT((path.solutions.back().q - start).cwiseAbs().maxCoeff(), 1e-9);

  request.end_state.reset();
  request.closed = true;
  const IKPath closed = solver.solvePath(request);
  ASSERT_EQ(closed.status, PathStatus::kComplete);
  EXPECT_LT((closed.solutions.back().q - closed.solutions.front().q).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(SolvePath, BetterPathsAreReportedUntilTheCallerHasEnough) {
  const Chain chain = panda();
  PathRequest request = circle(chain, bent(chain));
  request.objective = PathObjective::kLength;
  std::vector<double> values;
  request.on_path = [&values](const std::vector<Vector>& path, double value) {
    EXPECT_EQ(path.size(), 60U);
    values.push_back(value);
    return values.size() < 2;
  };
  EXPECT_EQ(IKSolver(chain).solvePath(request).status, PathStatus::kComplete);
  ASSERT_FALSE(values.empty());
  EXPECT_LE(values.size(), 2U);
  EXPECT_LE(values.back(), values.front());
}

TEST(SolvePath, EndsWhereThePosesAreOutOfReach) {
  const Chain chain = ur10();
  PathRequest request = circle(chain, bent(chain), 20);
  request.targets_in_base.back().translation().x() += 3.0;
  const IKPath path = IKSolver(chain).solvePath(request);
  EXPECT_EQ(path.status, PathStatus::kUnreached);
  EXPECT_EQ(path.solutions.size(), 19U);
  request.deadline = Deadline(0.0);
  EXPECT_EQ(IKSolver(chain).solvePath(request).status, PathStatus::kTimedOut);
}

TEST(SolvePath, BeginsWhereAnEncoderReadsAJointBeyondItsLimit) {
  const Chain chain = twoLinks();
  PathRequest request;
  Vector q(2);
  for (int k = 0; k < 20; ++k) {
    q << 3.02 - 0.02 * k, 0.8;
    request.targets_in_base.push_back(chain.tipInBase(q));
  }
  q << 3.02, 0.8;
  request.seed_state = q;
  SolverOptions options;
  options.tolerance.orientation = std::numeric_limits<double>::infinity();
  const IKPath path = IKSolver(chain, options).solvePath(request);
  EXPECT_EQ(path.status, PathStatus::kComplete);
  ASSERT_EQ(path.solutions.size(), 20U);
  EXPECT_NEAR(path.solutions.front().q[0], 3.02, 1e-6);
  EXPECT_LE(path.solutions[5].q[0], 3.0);

  // One that is there as a whole is reported as well.
  request.targets_in_base.resize(1);
  std::size_t reported = 0;
  request.on_path = [&reported](const std::vector<Vector>& better, double /*value*/) {
    reported = better.size();
    return true;
  };
  EXPECT_EQ(IKSolver(chain, options).solvePath(request).status, PathStatus::kComplete);
  EXPECT_EQ(reported, 1U);
}

// The ball at the arm's end would touch the pillar at a quarter turn back.
TEST(SolvePath, StaysClearOfAWorldOrSaysThatItCannot) {
  const Chain chain = arm();
  const CollisionWorld world(armWithBall());
  PathRequest request;
  for (int k = 0; k < 100; ++k) {
    request.targets_in_base.push_back(chain.tipInBase(Vector::Constant(1, 0.5 - 0.02 * k)));
  }
  request.world = &world;
  SolverOptions options;
  const IKSolver solver(chain, options);
  const IKPath path = solver.solvePath(request);
  EXPECT_EQ(path.status, PathStatus::kColliding);
  ASSERT_GT(path.solutions.size(), 10U);
  for (const Solution& solution : path.solutions) {
    EXPECT_GT(gapOfPillar(solution.q[0]), 0.0);
  }
  request.targets_in_base.resize(path.solutions.size());
  EXPECT_EQ(solver.solvePath(request).status, PathStatus::kComplete);
  EXPECT_LT(gapOfPillar(0.5 - 0.02 * (static_cast<double>(path.solutions.size()) + 3.0)), 0.0);
}

TEST(SolvePath, WhatIsUnusableIsRefused) {
  const Chain chain = panda();
  const IKSolver solver(chain);
  const PathRequest good = circle(chain, bent(chain), 5);
  const auto refused = [&](auto change) {
    PathRequest request = good;
    change(request);
    EXPECT_THROW(static_cast<void>(solver.solvePath(request)), std::invalid_argument);
  };
  refused([](PathRequest& one) { one.targets_in_base.clear(); });
  refused([](PathRequest& one) { one.targets_in_base[1].translation().x() = NAN; });
  refused([](PathRequest& one) { one.seed_state = Vector::Zero(6); });
  refused([](PathRequest& one) { one.end_state = Vector::Constant(7, NAN); });
  refused([](PathRequest& one) { one.end_state = Vector::Zero(7); });
  refused([](PathRequest& one) { one.max_step = Vector::Zero(7); });
  refused([](PathRequest& one) { one.joint_weights = Vector::Ones(3); });
  refused([](PathRequest& one) { one.joint_weights = Vector::Constant(7, INFINITY); });
  refused([](PathRequest& one) { one.objective = PathObjective::kClearance; });
  refused([](PathRequest& one) {
    one.closed = true;
    one.targets_in_base.back().translation().x() += 0.01;
  });
  const CollisionWorld other(armWithBall());
  refused([&other](PathRequest& one) { one.world = &other; });
  EXPECT_THROW(static_cast<void>(IKSolver(twoArms()).solvePath(good)), std::invalid_argument);
}

}  // namespace
}  // namespace generative_ik::test

// Task space regions: every solution is inside, by a measurement that the core has no part in.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "region_truth.hpp"
#include "robots.hpp"

namespace generative_ik::test {
namespace {

using Axis = TaskSpaceRegion::Axis;

class EachArm : public testing::TestWithParam<Chain (*)()> {};

TEST_P(EachArm, EverySolutionIsInside) {
  const Chain chain = GetParam()();
  const IKSolver solver(chain);
  std::mt19937 random(1);
  for (const NamedRegion& kind : kindsOfRegions()) {
    SCOPED_TRACE(kind.name);
    for (const std::size_t wanted : {1, 1, 2, 20}) {
      const IKRequest request = requestWithin(kind.region, chain, random, wanted);
      expectInside(chain, request, solver.solve(request));
    }
  }
}

TEST_P(EachArm, EverySolutionThatIsSearchedForIsInside) {
  const Chain chain = GetParam()();
  const IKSolver solver(chain);
  std::mt19937 random(2);
  for (const NamedRegion& kind : kindsOfRegions()) {
    SCOPED_TRACE(kind.name);
    IKRequest request = requestWithin(kind.region, chain, random, 10);
    request.accept = [](const Vector& q) { return q[0] > -1.5; };
    const IKSolutions found = solver.solve(request);
    for (const Solution& solution : found.solutions) {
      EXPECT_GT(solution.q[0], -1.5);
    }
    if (found.status != SolveStatus::kNoSolution) {
      expectInside(chain, request, found);
    }
    request.accept = nullptr;
    request.num_solutions = 1;
    request.random_seed = 7;
    expectInside(chain, request, solver.solve(request));
  }
}

INSTANTIATE_TEST_SUITE_P(Arms, EachArm, testing::Values(&panda, &ur10, &iiwa, &ur10OnRail));

TEST(WithinRegions, RandomOnesHaveSolutionsInsideAndSoHasEachThatIsWider) {
  const std::array<Chain, 2> arms = {panda(), ur10()};
  const std::array<IKSolver, 2> solvers = {IKSolver(arms[0]), IKSolver(arms[1])};
  std::mt19937 random(4);
  std::uniform_real_distribution<> unit;
  for (std::size_t i = 0; i < 120; ++i) {
    TaskSpaceRegion::Bounds lower = TaskSpaceRegion::Bounds::Zero();
    TaskSpaceRegion::Bounds upper = TaskSpaceRegion::Bounds::Zero();
    for (Eigen::Index k = 0; k < 6; ++k) {
      const double most = k < 3 ? 0.2 : 0.8;
      if (unit(random) < 0.5) {
        lower[k] = -most * unit(random);
        upper[k] = most * unit(random);
      }
    }
    IKRequest request = requestWithin({lower, upper}, arms.at(i % 2), random, 1 + 4 * (i / 2 % 3));
    const IKSolutions found = solvers.at(i % 2).solve(request);
    expectInside(arms.at(i % 2), request, found);
    request.regions = {{lower - TaskSpaceRegion::Bounds::Constant(0.05),
                        upper + TaskSpaceRegion::Bounds::Constant(0.05)}};
    expectInside(arms.at(i % 2), request, found);
    expectInside(arms.at(i % 2), request, solvers.at(i % 2).solve(request));
  }
}

TEST(WithinRegions, FullTurnsCountWhereThereAreFewSolutions) {
  const Chain once = ur10();
  std::vector<Variable> variables = once.variables();
  for (Variable& variable : variables) {
    variable.lower = -2.0 * kHalfCircle;
    variable.upper = 2.0 * kHalfCircle;
  }
  const Chain twice(variables, once.joints(), once.tipInLastJoint());
  IKRequest request;
  request.target_in_base = twice.tipInBase(Vector::Constant(6, -0.8));
  request.regions = {{sixBounds(0, 0, 0, 0, 0, -0.06), sixBounds(0, 0, 0, 0, 0, 0.06)}};
  request.num_solutions = 200;
  const IKSolutions few = IKSolver(once).solve(request);
  EXPECT_EQ(few.status, SolveStatus::kPartial);
  expectInside(once, request, few);
  const IKSolutions many = IKSolver(twice).solve(request);
  EXPECT_EQ(many.status, SolveStatus::kSolved);
  expectInside(twice, request, many);
}

TEST(WithinRegions, ArmsOfFewJointsReachPositionsAndWhatIsLeftOfRotations) {
  std::mt19937 random(8);
  for (const Chain& chain : {railArm(), bentArm(), twoLinks()}) {
    const IKSolver solver(chain);
    for (int i = 0; i < 10; ++i) {
      IKRequest request;
      request.target_in_base = chain.tipInBase(randomPosition(chain, random));
      request.num_solutions = 2;
      const TaskSpaceRegion anywhere = TaskSpaceRegion::positionOnly();
      for (const TaskSpaceRegion& region : {anywhere, TaskSpaceRegion::freeAxis()}) {
        request.regions = {region};
        expectInside(chain, request, solver.solve(request));
      }
    }
  }
}

TEST(WithinRegions, ExactOnesAreTheTargetsThemselves) {
  const Chain chain = panda();
  const IKSolver solver(chain);
  IKRequest request;
  request.target_in_base = chain.tipInBase(Vector::Constant(7, -0.8));
  request.num_solutions = 7;
  const IKSolutions poses = solver.solve(request);
  request.regions = {TaskSpaceRegion()};
  const IKSolutions regions = solver.solve(request);
  ASSERT_EQ(regions.solutions.size(), poses.solutions.size());
  for (std::size_t k = 0; k < poses.solutions.size(); ++k) {
    EXPECT_EQ(regions.solutions[k].q, poses.solutions[k].q);
  }
}

}  // namespace
}  // namespace generative_ik::test

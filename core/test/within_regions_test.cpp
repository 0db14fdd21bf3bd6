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

TEST_P(EachArm, TheNearestToASeedStateComesFirstWithinItsLimits) {
  const Chain chain = GetParam()();
  const IKSolver solver(chain);
  std::mt19937 random(3);
  std::uniform_real_distribution<> apart(-0.1, 0.1);
  const auto clipped = [&chain](Vector q) {
    for (Eigen::Index v = 0; v < q.size(); ++v) {
      const Variable& variable = chain.variables()[static_cast<std::size_t>(v)];
      q[v] = std::clamp(q[v], variable.lower, variable.upper);
    }
    return q;
  };
  for (int i = 0; i < 10; ++i) {
    for (const NamedRegion& kind : kindsOfRegions()) {
      SCOPED_TRACE(kind.name);
      const Vector q = clipped(randomPosition(chain, random) * 0.5);
      const Vector seed =
          clipped(q + Vector::NullaryExpr(q.size(), [&] { return apart(random); }));
      IKRequest request;
      request.regions = {kind.region};
      request.target_in_base = chain.tipInBase(q) * somewhereIn(kind.region, random).inverse();
      request.seed_state = seed;
      for (const std::size_t wanted : {1, 3}) {
        request.num_solutions = wanted;
        const IKSolutions anywhere = solver.solve(request);
        expectInside(chain, request, anywhere);
        // A configuration is known to be inside.
        EXPECT_LE((anywhere.solutions.front().q - seed).norm(), (q - seed).norm() + 1e-6);
        for (std::size_t k = 1; k < anywhere.solutions.size(); ++k) {
          EXPECT_GE((anywhere.solutions[k].q - seed).norm(),
                    (anywhere.solutions[k - 1].q - seed).norm() - 1e-12);
        }
      }
      request.num_solutions = 1;
      const IKSolutions one = solver.solve(request);
      const std::optional<Solution> nearest = solver.nearest(request);
      if (nearest) {
        EXPECT_EQ(nearest->q, one.solutions.front().q);
      }
      request.num_solutions = 3;
      request.consistency_limits.assign(chain.variables().size(), 0.1);
      const IKSolutions near = solver.solve(request);
      expectInside(chain, request, near);
      for (const Solution& solution : near.solutions) {
        EXPECT_LE((solution.q - seed).cwiseAbs().maxCoeff(), 0.1 + 1e-9);
      }
    }
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

TEST(WithinRegions, SolutionsAreSpreadAllOver) {
  for (const Chain& chain : {panda(), ur10()}) {
    const IKSolver solver(chain);
    IKRequest request;
    request.target_in_base = chain.tipInBase(Vector::Constant(chain.size(), -0.8));
    request.regions = {TaskSpaceRegion::freeAxis()};
    request.num_solutions = 100;
    const IKSolutions found = solver.solve(request);
    EXPECT_EQ(found.status, SolveStatus::kSolved);
    std::array<int, 12> sectors{};
    for (const Solution& solution : found.solutions) {
      const Eigen::Matrix3d turned =
          (request.target_in_base.inverse() * chain.tipInBase(solution.q)).linear();
      const double share =
          (std::atan2(turned(1, 0), turned(0, 0)) + kHalfCircle) / (2.0 * kHalfCircle);
      ++sectors.at(static_cast<std::size_t>(11.999 * share));
    }
    EXPECT_GE(std::count_if(sectors.begin(), sectors.end(), [](int n) { return n > 0; }), 8);
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

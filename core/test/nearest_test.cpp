// The one solution nearest to a seed state.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "robots.hpp"

namespace generative_ik::test {
namespace {

// The request for one solution near a configuration that reaches the pose.
struct NearRequest {
  Vector goal;
  IKRequest request;
};

NearRequest nearRequest(const Chain& chain, std::mt19937& random, double most) {
  const Vector goal = randomPosition(chain, random);
  std::uniform_real_distribution<double> apart(-most, most);
  Vector seed = goal;
  for (Eigen::Index v = 0; v < seed.size(); ++v) {
    const Variable& variable = chain.variables()[static_cast<std::size_t>(v)];
    seed[v] = std::clamp(seed[v] + apart(random), variable.lower, variable.upper);
  }
  return {goal, requestFor(chain, goal, seed)};
}

void expectNearest(const Chain& chain) {
  const IKSolver solver(chain);
  std::mt19937 random(7);
  constexpr int kCount = 100;
  int found_none = 0;
  for (int k = 0; k < kCount; ++k) {
    const auto [goal, request] = nearRequest(chain, random, 0.25);
    const IKSolutions found = solver.solve(request);
    if (found.solutions.empty()) {
      ++found_none;
      continue;
    }
    EXPECT_EQ(found.status, SolveStatus::kSolved);
    ASSERT_EQ(found.solutions.size(), 1);
    const Vector& q = found.solutions.front().q;
    EXPECT_TRUE(SearchBox(chain.variables(), *request.seed_state).contains(q));
    EXPECT_TRUE(isWithin(poseError(chain.tipInBase(q), request.target_in_base), {}));
    EXPECT_LE((q - *request.seed_state).norm(), (goal - *request.seed_state).norm() + 1e-5);
  }
  EXPECT_EQ(found_none, 0);
}

TEST(Nearest, IsFoundOnTheCurvesOfARedundantArm) {
  expectNearest(panda());
}

TEST(Nearest, IsFoundAmongTheBranchesOfSixJoints) {
  expectNearest(ur10());
}

TEST(Nearest, IsFoundByStepsWhereThereIsNoClosedForm) {
  expectNearest(railArm());
  expectNearest(twoLinks());
}

TEST(Nearest, IsAsNearAsWhatASearchFinds) {
  const Chain chain = panda();
  const IKSolver solver(chain);
  std::mt19937 random(8);
  constexpr int kCount = 40;
  int further = 0;
  for (int k = 0; k < kCount; ++k) {
    IKRequest request = nearRequest(chain, random, 0.25).request;
    const Vector seed = *request.seed_state;
    const double at_once = (solver.solve(request).solutions.front().q - seed).norm();
    // With limits that exclude nothing, it is searched for.
    request.consistency_limits.assign(static_cast<std::size_t>(chain.size()), 100.0);
    const double searched = (solver.solve(request).solutions.front().q - seed).norm();
    further += at_once > 1.01 * searched + 1e-6 ? 1 : 0;
  }
  EXPECT_LE(further, 1);
}

TEST(Nearest, ASeedStateOutsideTheLimitsIsLeftToTheSearch) {
  const Chain chain = panda();
  const IKSolver solver(chain);
  std::mt19937 random(9);
  IKRequest request = nearRequest(chain, random, 0.1).request;
  (*request.seed_state)[0] = chain.variables()[0].upper + 0.3;
  EXPECT_EQ(solver.solve(request).status, SolveStatus::kSolved);
  request.target_in_base.translation().x() += 5.0;
  EXPECT_EQ(solver.solve(request).status, SolveStatus::kNoSolution);
}

}  // namespace
}  // namespace generative_ik::test

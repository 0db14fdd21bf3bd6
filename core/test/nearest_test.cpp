// The one solution nearest to a seed state.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <generative_ik/closed_form.hpp>
#include <limits>
#include <random>

#include "../src/closed_form/locked_joint.hpp"
#include "../src/simd/constants.hpp"
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

// A joint's value at the turn that is nearest to the seed state of those within the limits;
// infinite if none is.
double turned(const Variable& variable, double value, double seed) {
  double best = kInfinity;
  for (int turn = variable.periodic ? -2 : 0; turn <= (variable.periodic ? 2 : 0); ++turn) {
    const double q = value + turn * kTurn;
    if (variable.lower <= q && q <= variable.upper && std::abs(q - seed) < std::abs(best - seed)) {
      best = q;
    }
  }
  return best;
}

// The distance from the seed state of the nearest branch at many angles of the locked joint.
double nearestOfMany(const Chain& chain, const IKRequest& request) {
  constexpr int kAngles = 4000;
  const ArmForm form = findClosedForm(chain).value();
  const auto joint = closed_form::LockedJoint::of(form.parameters.data());
  const Variable& locked = chain.variables()[static_cast<std::size_t>(joint.index)];
  const Eigen::Matrix<double, 4, 4, Eigen::RowMajor> target = request.target_in_base.matrix();
  const auto pose = closed_form::TipPose<double>::of(target.data());
  double nearest = kInfinity;
  for (int k = 0; k <= kAngles; ++k) {
    const double angle = locked.lower + k * (locked.upper - locked.lower) / kAngles;
    std::array<double, 16> tip{};
    std::array<double, 6 * 16> rows{};
    closed_form::writePose(closed_form::poseWithout(joint, pose, angle), tip.data());
    const std::int64_t answer = form.family.kernel(
        form.parameters.data() + closed_form::LockedJoint::kNumbers, tip.data(), rows.data());
    for (std::int64_t b = 0; b < (answer < 0 ? -1 - answer : answer); ++b) {
      Vector q(7);
      q[joint.index] = angle;
      for (int v = 0; v < 6; ++v) {
        const int at = v + joint.firstOther();
        q[at] = turned(chain.variables()[static_cast<std::size_t>(at)],
                       rows.at(static_cast<std::size_t>(6 * b + v)), (*request.seed_state)[at]);
      }
      nearest = std::min(nearest, (q - *request.seed_state).norm());
    }
  }
  return nearest;
}

TEST(Nearest, NoneOnTheCurvesIsNearer) {
  constexpr int kCount = 60;
  for (const Chain& chain : {panda(), iiwa(), ur10OnRail()}) {
    const IKSolver solver(chain);
    std::mt19937 random(10);
    for (const double most : {0.02, 0.25, 10.0}) {
      int further = 0;
      for (int k = 0; k < kCount; ++k) {
        const IKRequest request = nearRequest(chain, random, most).request;
        const IKSolutions found = solver.solve(request);
        ASSERT_EQ(found.status, SolveStatus::kSolved);
        const double distance = (found.solutions.front().q - *request.seed_state).norm();
        further += distance > 1.01 * nearestOfMany(chain, request) + 1e-6 ? 1 : 0;
      }
      // Two may be about as near that are far.
      EXPECT_LE(further, most < 1.0 ? 0 : kCount / 10) << chain.size() << " " << most;
    }
  }
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
    request.num_solutions = 2;  // these are searched for
    const double searched = (solver.solve(request).solutions.front().q - seed).norm();
    further += at_once > 1.01 * searched + 1e-6 ? 1 : 0;
  }
  EXPECT_LE(further, 1);
}

TEST(Nearest, IsInsideConsistencyLimitsAndAccepted) {
  for (const Chain& chain : {panda(), ur10(), railArm()}) {
    const IKSolver solver(chain);
    std::mt19937 random(12);
    int others = 0;
    for (int k = 0; k < 20; ++k) {
      IKRequest request = nearRequest(chain, random, 0.25).request;
      const Vector seed = *request.seed_state;
      const Vector nearest = solver.solve(request).solutions.at(0).q;
      const Vector gaps = (nearest - seed).cwiseAbs();
      request.consistency_limits.assign(gaps.begin(), gaps.end());
      EXPECT_EQ(solver.solve(request).solutions.at(0).q, nearest);
      Eigen::Index widest = 0;
      gaps.maxCoeff(&widest);
      std::vector<double> limits(gaps.size(), 3.0);
      limits.at(static_cast<std::size_t>(widest)) = 0.9 * gaps[widest];
      request.consistency_limits = limits;
      for (const Solution& solution : solver.solve(request).solutions) {
        EXPECT_LE(std::abs(solution.q[widest] - seed[widest]), 0.9 * gaps[widest] + 1e-9);
        ++others;
      }
      request.consistency_limits.clear();
      request.accept = [&](const Vector& q) { return (q - nearest).norm() < 1e-9; };
      EXPECT_EQ(solver.solve(request).solutions.at(0).q, nearest);
      request.accept = [&](const Vector& q) { return (q - nearest).norm() > 0.1; };
      for (const Solution& solution : solver.solve(request).solutions) {
        EXPECT_GT((solution.q - nearest).norm(), 0.1);
        ++others;
      }
    }
    EXPECT_GT(others, 3) << chain.size();
  }
}

TEST(Nearest, IsToBeHadWithoutASearch) {
  for (const Chain& chain : {panda(), ur10(), railArm()}) {
    const IKSolver solver(chain);
    std::mt19937 random(13);
    IKRequest request = nearRequest(chain, random, 0.1).request;
    const std::optional<Solution> nearest = solver.nearest(request);
    ASSERT_TRUE(nearest);
    EXPECT_EQ(nearest->q, solver.solve(request).solutions.at(0).q);
    request.accept = [](const Vector&) { return false; };
    EXPECT_FALSE(solver.nearest(request)) << "another may be accepted";
    request.accept = nullptr;
    request.num_solutions = 2;
    EXPECT_FALSE(solver.nearest(request));
    request.num_solutions = 1;
    request.seed_state.reset();
    EXPECT_FALSE(solver.nearest(request));
    request.targets_in_base.assign(2, request.target_in_base);
    request.seed_state = Vector::Zero(chain.size());
    EXPECT_THROW(static_cast<void>(solver.nearest(request)), std::invalid_argument);
  }
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

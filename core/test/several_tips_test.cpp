// IKSolver and Search for several tips, and batches of requests.

#include <gtest/gtest.h>

#include <array>
#include <generative_ik/search.hpp>
#include <stdexcept>
#include <utility>

#include "robots.hpp"

namespace generative_ik::test {
namespace {

std::vector<Eigen::Isometry3d> handsAt(const Vector& q) {
  static const std::vector<Chain> kArms = twoArms();
  Vector right(7);
  right << q[0], q.tail(6);
  return {kArms[0].tipInBase(q.head(7)), kArms[1].tipInBase(right)};
}

Vector randomConfiguration(const IKSolver& solver, std::mt19937& random) {
  Vector q(static_cast<Eigen::Index>(solver.variables().size()));
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    const Variable& variable = solver.variables()[static_cast<std::size_t>(i)];
    q[i] = std::uniform_real_distribution<>(variable.lower, variable.upper)(random);
  }
  return q;
}

// By the chains' own kinematics.
void expectSolves(const IKSolver& solver, const IKRequest& request, const Solution& solution) {
  EXPECT_TRUE(SearchBox(solver.variables()).contains(solution.q));
  const std::vector<Eigen::Isometry3d> tips = handsAt(solution.q);
  double worst = 0.0;
  for (std::size_t k = 0; k < tips.size(); ++k) {
    EXPECT_TRUE(isWithin(poseError(tips[k], request.targets_in_base[k]), {}));
    worst =
        std::max(worst, (tips[k].translation() - request.targets_in_base[k].translation()).norm());
  }
  EXPECT_NEAR(solution.position_error, worst, 1e-9);
}

TEST(SeveralTips, EveryReachablePoseIsReachedByBoth) {
  const IKSolver solver(twoArms());
  ASSERT_EQ(solver.variables().size(), 13U);
  std::mt19937 random(1);
  int solved = 0;
  constexpr int kPoses = 40;
  for (int i = 0; i < kPoses; ++i) {
    IKRequest request;
    request.targets_in_base = handsAt(randomConfiguration(solver, random));
    request.num_solutions = 5;
    const IKSolutions found = solver.solve(request);
    solved += found.status == SolveStatus::kSolved ? 1 : 0;
    for (const Solution& solution : found.solutions) {
      expectSolves(solver, request, solution);
    }
  }
  EXPECT_EQ(solved, kPoses);
}

TEST(SeveralTips, TheNearestToTheSeedStateComesFirstWithinItsLimits) {
  const IKSolver solver(twoArms());
  std::mt19937 random(2);
  for (int i = 0; i < 20; ++i) {
    const Vector goal = randomConfiguration(solver, random);
    IKRequest request;
    request.targets_in_base = handsAt(goal);
    request.seed_state = goal + Vector::Constant(13, 0.02);
    request.consistency_limits = ConsistencyLimits(13, 0.1);
    request.num_solutions = 3;
    const IKSolutions found = solver.solve(request);
    ASSERT_FALSE(found.solutions.empty());
    double before = 0.0;
    for (const Solution& solution : found.solutions) {
      expectSolves(solver, request, solution);
      EXPECT_LE((solution.q - *request.seed_state).cwiseAbs().maxCoeff(), 0.1 + 1e-9);
      const double distance = (solution.q - *request.seed_state).norm();
      EXPECT_GE(distance, before - 1e-12);
      before = distance;
    }
  }
}

TEST(SeveralTips, OneTipOutOfReachIsNoSolution) {
  const IKSolver solver(twoArms());
  IKRequest request;
  request.targets_in_base = handsAt(Vector::Constant(13, 0.3));
  request.targets_in_base[1].translation() *= 5.0;
  EXPECT_EQ(solver.solve(request).status, SolveStatus::kNoSolution);
  Search search(solver, request);
  EXPECT_EQ(search.run(1, request.deadline), Search::Ending::kUnreachable);
  EXPECT_TRUE(SearchBox(solver.variables()).contains(search.closest(request.deadline)));
}

TEST(SeveralTips, ASearchGoesOnWhereItStopped) {
  const IKSolver solver(twoArms());
  std::mt19937 random(3);
  IKRequest request;
  request.targets_in_base = handsAt(randomConfiguration(solver, random));
  Search search(solver, request);
  EXPECT_EQ(search.run(2, request.deadline), Search::Ending::kEnough);
  const std::size_t first = search.takeNew().size();
  EXPECT_GE(first, 2U);
  EXPECT_EQ(search.run(first + 3, request.deadline), Search::Ending::kEnough);
  for (const Solution& solution : search.takeNew()) {
    expectSolves(solver, request, solution);
  }
}

TEST(SeveralTips, OnlySolutionsThatAreAcceptedCount) {
  const IKSolver solver(twoArms());
  IKRequest request;
  request.targets_in_base = handsAt(Vector::Constant(13, 0.3));
  request.accept = [](const Vector& q) { return q[0] > 0.0; };
  request.num_solutions = 3;
  for (const Solution& solution : solver.solve(request).solutions) {
    EXPECT_GT(solution.q[0], 0.0);
  }
}

// Whether the arms of `twoLimbs` reach their targets, each by its own kinematics.
void expectReach(const IKRequest& request, const Solution& solution) {
  static const std::vector<Chain> kLimbs = twoLimbs();
  const std::array<Vector, 2> own = {solution.q.head(7), solution.q.tail(6)};
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_TRUE(SearchBox(kLimbs[k].variables()).contains(own.at(k)));
    EXPECT_TRUE(
        isWithin(poseError(kLimbs[k].tipInBase(own.at(k)), request.targets_in_base[k]), {}));
  }
}

TEST(SeveralTips, LimbsThatShareNoJointHaveAllCombinations) {
  const std::vector<Chain> limbs = twoLimbs();
  const IKSolver solver(twoLimbs());
  std::mt19937 random(5);
  for (int i = 0; i < 20; ++i) {
    const Vector left = randomPosition(limbs[0], random);
    const Vector right = randomPosition(limbs[1], random);
    IKRequest request;
    request.targets_in_base = {limbs[0].tipInBase(left), limbs[1].tipInBase(right)};
    for (const std::size_t wanted : {1, 30}) {
      request.num_solutions = wanted;
      const IKSolutions found = solver.solve(request);
      EXPECT_EQ(found.status, SolveStatus::kSolved);
      EXPECT_EQ(found.solutions.size(), wanted);
      for (const Solution& solution : found.solutions) {
        expectReach(request, solution);
      }
    }
    request.targets_in_base[1].translation().x() += 5.0;
    EXPECT_EQ(solver.solve(request).status, SolveStatus::kNoSolution);
  }
}

TEST(SeveralTips, TheNearestOfLimbsIsTheNearestOfEach) {
  const std::vector<Chain> limbs = twoLimbs();
  const IKSolver solver(twoLimbs());
  std::mt19937 random(6);
  for (int i = 0; i < 20; ++i) {
    const Vector left = randomPosition(limbs[0], random);
    const Vector right = randomPosition(limbs[1], random);
    Vector seed(13);
    seed << 0.97 * left, 0.97 * right;
    IKRequest request;
    request.targets_in_base = {limbs[0].tipInBase(left), limbs[1].tipInBase(right)};
    request.seed_state = SearchBox(solver.variables()).clamp(seed);
    seed = *request.seed_state;
    const IKSolutions found = solver.solve(request);
    ASSERT_EQ(found.status, SolveStatus::kSolved);
    expectReach(request, found.solutions.front());
    Vector apart(13);
    apart << IKSolver(limbs[0]).solve(requestFor(limbs[0], left, seed.head(7))).solutions.at(0).q,
        IKSolver(limbs[1]).solve(requestFor(limbs[1], right, seed.tail(6))).solutions.at(0).q;
    EXPECT_NEAR((found.solutions.front().q - seed).norm(), (apart - seed).norm(), 1e-6);
  }
}

// Random restarts miss it where there are many joints.
TEST(SeveralTips, SeveralNearASeedStateBeginWithTheNearestOfLimbs) {
  std::vector<Chain> limbs = twoLimbs();
  std::vector<Variable> variables = limbs[1].variables();
  std::vector<Joint> joints = limbs[1].joints();
  for (Variable& variable : variables) {
    variable.name = "other_" + variable.name;
  }
  joints.front().joint_in_parent.translation().y() -= 0.8;
  limbs.emplace_back(variables, joints, limbs[1].tipInLastJoint());
  const IKSolver solver(limbs);
  std::mt19937 random(7);
  std::normal_distribution<double> apart;
  for (int i = 0; i < 10; ++i) {
    const Vector q = randomConfiguration(solver, random);
    const Vector away = q + Vector::NullaryExpr(q.size(), [&] { return apart(random); });
    IKRequest request;
    request.targets_in_base = solver.tipsInBase(q);
    request.seed_state = SearchBox(solver.variables()).clamp(away);
    const std::optional<Solution> nearest = solver.nearest(request);
    ASSERT_TRUE(nearest);
    request.num_solutions = 5;
    const std::vector<Solution> several = solver.solve(request).solutions;
    ASSERT_EQ(several.size(), 5U);
    const Vector& seed = *request.seed_state;
    EXPECT_LE((several.front().q - seed).norm(), (nearest->q - seed).norm() + 1e-6);
  }
}

TEST(SeveralTips, OneTipMayHaveItsTargetInAList) {
  const Chain chain = panda();
  const IKSolver solver(chain);
  std::mt19937 random(7);
  const Vector goal = randomPosition(chain, random);
  IKRequest request = requestFor(chain, goal, goal);
  request.targets_in_base = {std::exchange(request.target_in_base, Eigen::Isometry3d::Identity())};
  for (int seeded = 1; seeded >= 0; --seeded) {
    const IKSolutions found = solver.solve(request);
    ASSERT_EQ(found.status, SolveStatus::kSolved);
    EXPECT_TRUE(isWithin(
        poseError(chain.tipInBase(found.solutions.front().q), request.targets_in_base[0]), {}));
    request.seed_state.reset();
  }
}

TEST(SeveralTips, PositionsAlone) {
  SolverOptions options;
  options.tolerance.orientation = std::numeric_limits<double>::infinity();
  const IKSolver solver(twoArms(), options);
  IKRequest request;
  request.targets_in_base = handsAt(Vector::Constant(13, 0.3));
  for (Eigen::Isometry3d& target : request.targets_in_base) {
    target.rotate(Eigen::AngleAxisd(2.0, Eigen::Vector3d::UnitX()));
  }
  const IKSolutions found = solver.solve(request);
  ASSERT_EQ(found.status, SolveStatus::kSolved);
  const std::vector<Eigen::Isometry3d> tips = handsAt(found.solutions[0].q);
  for (std::size_t k = 0; k < 2; ++k) {
    const auto gap = tips[k].translation() - request.targets_in_base[k].translation();
    EXPECT_LT(gap.norm(), 1e-5 + 1e-9);
  }
}

TEST(SeveralTips, InvalidArgumentsAreRefused) {
  EXPECT_THROW(IKSolver(std::vector<Chain>()), std::invalid_argument);
  SolverOptions options;
  options.prefer = Preference::kPosition;
  EXPECT_THROW(IKSolver(twoArms(), options), std::invalid_argument);
  EXPECT_THROW(IKSolver({panda(), ur10()}), std::invalid_argument);
  const IKSolver solver(twoArms());
  IKRequest request;
  EXPECT_THROW((void)solver.solve(request), std::invalid_argument);
  request.targets_in_base.resize(3);
  EXPECT_THROW((void)solver.solve(request), std::invalid_argument);
  EXPECT_THROW((void)solver.tipsInBase(Vector::Zero(12)), std::invalid_argument);
}

TEST(Batches, AreWhatCallsOneByOneAre) {
  const IKSolver solver(panda());
  std::mt19937 random(4);
  std::vector<IKRequest> requests(50);
  for (IKRequest& request : requests) {
    request.target_in_base = panda().tipInBase(randomPosition(panda(), random));
    request.num_solutions = 4;
  }
  const std::vector<IKSolutions> found = solver.solve(requests);
  ASSERT_EQ(found.size(), requests.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const IKSolutions alone = solver.solve(requests[i]);
    ASSERT_EQ(found[i].status, alone.status);
    ASSERT_EQ(found[i].solutions.size(), alone.solutions.size());
    for (std::size_t k = 0; k < alone.solutions.size(); ++k) {
      EXPECT_EQ(found[i].solutions[k].q, alone.solutions[k].q);
    }
  }
  requests[7].seed_state = Vector::Zero(3);
  EXPECT_THROW((void)solver.solve(requests), std::invalid_argument);
}

}  // namespace
}  // namespace generative_ik::test

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <generative_ik/candidates.hpp>
#include <generative_ik/path.hpp>
#include <generative_ik/search.hpp>
#include <limits>
#include <stdexcept>
#include <thread>

#include "robots.hpp"

namespace generative_ik::test {
namespace {

using Ending = Search::Ending;

// Processor time, which other programs do not prolong [s].
double processorTime() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double largestGap(const Vector& a, const Vector& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

// Whether a solution is inside the limits and solves the pose, by the chain's own kinematics.
bool isExact(const Chain& chain, const IKRequest& request, const Vector& q,
             const Tolerance& tolerance = {}) {
  const SearchBox limits = request.seed_state ? SearchBox(chain.variables(), *request.seed_state,
                                                          request.consistency_limits)
                                              : SearchBox(chain.variables());
  return limits.contains(q) &&
         isWithin(poseError(chain.tipInBase(q), request.target_in_base), tolerance);
}

// A solver of the tip's position alone.
IKSolver positionSolver(const Chain& chain, double distinct_distance = 0.05) {
  SolverOptions options;
  options.tolerance.orientation = std::numeric_limits<double>::infinity();
  options.distinct_distance = distinct_distance;
  return IKSolver(chain, options);
}

std::vector<Vector> configurations(const std::vector<Solution>& solutions) {
  std::vector<Vector> all;
  all.reserve(solutions.size());
  for (const Solution& solution : solutions) {
    all.push_back(solution.q);
  }
  return all;
}

TEST(IKSolver, ArmsWithAClosedFormHaveAllBranches) {
  const Chain chain = ur10();
  const IKSolver solver(chain);
  std::mt19937 random(6);
  constexpr std::size_t kAll = 100;
  constexpr double kDistance = 0.05;  // two branches within it are one solution
  int accepted = 0;
  for (int i = 0; i < 200; ++i) {
    const Vector goal = randomPosition(chain, random);
    IKRequest request;
    request.target_in_base = chain.tipInBase(goal);
    request.num_solutions = kAll;
    const IKSolutions all = solver.solve(request);
    EXPECT_EQ(all.status, SolveStatus::kSolved) << "there are no others";
    bool is_there = false;
    for (const Solution& solution : all.solutions) {
      EXPECT_TRUE(isExact(chain, request, solution.q));
      is_there = is_there || largestGap(solution.q, goal) < kDistance;
    }
    EXPECT_TRUE(is_there) << i;
    // Part by part, and tried one by one, they are the same.
    Search search(solver, request);
    EXPECT_EQ(search.run(1, request.deadline), Ending::kEnough);
    EXPECT_EQ(search.takeNew().size(), all.solutions.size());
    EXPECT_EQ(search.run(kAll, request.deadline), Ending::kExhausted);
    EXPECT_TRUE(search.takeNew().empty());
    request.accept = [&](const Vector& q) { return largestGap(q, goal) < kDistance; };
    accepted += static_cast<int>(solver.solve(request).solutions.size());
  }
  EXPECT_EQ(accepted, 200);
}

TEST(IKSolver, SolutionsOfSevenJointsAreAllOverTheirCurves) {
  const Chain chain = panda();
  const IKSolver solver(chain);
  std::mt19937 random(8);
  int enough = 0;
  for (int i = 0; i < 50; ++i) {
    const Vector goal = randomPosition(chain, random);
    IKRequest request;
    request.target_in_base = chain.tipInBase(goal);
    request.num_solutions = 60;
    const std::vector<Vector> found = configurations(solver.solve(request).solutions);
    ASSERT_FALSE(found.empty()) << i;
    enough += found.size() == request.num_solutions ? 1 : 0;
    // No part of a curve is far from all of them.
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t a = 0; a < found.size(); ++a) {
      EXPECT_TRUE(isExact(chain, request, found[a]));
      nearest = std::min(nearest, largestGap(found[a], goal));
      for (std::size_t b = 0; b < a; ++b) {
        EXPECT_GT(largestGap(found[a], found[b]), 0.05);
      }
    }
    EXPECT_LT(nearest, 1.0) << i;
    EXPECT_EQ(configurations(solver.solve(request).solutions), found);
    request.deadline = Deadline(1e-6);  // a search keeps it
    EXPECT_LT(solver.solve(request).solutions.size(), 60U);
  }
  EXPECT_GT(enough, 40);
}

TEST(IKSolver, AsManySolutionsOfSevenJointsAreAcceptedAsThereAre) {
  const Chain chain = panda();
  const IKSolver solver(chain);
  std::mt19937 random(9);
  for (int i = 0; i < 10; ++i) {
    IKRequest request;
    request.target_in_base = chain.tipInBase(randomPosition(chain, random));
    request.num_solutions = 900;
    const IKSolutions all = solver.solve(request);
    const auto counts = [](const Vector& q) { return q[0] > 0.0; };
    const auto accepted =
        std::count_if(all.solutions.begin(), all.solutions.end(),
                      [&](const Solution& solution) { return counts(solution.q); });
    request.accept = counts;
    const IKSolutions found = solver.solve(request);
    EXPECT_EQ(std::ssize(found.solutions), accepted) << i;
    for (const Solution& solution : found.solutions) {
      EXPECT_TRUE(counts(solution.q));
    }
    request.num_solutions = 5;
    EXPECT_EQ(std::ssize(solver.solve(request).solutions), std::min<std::ptrdiff_t>(5, accepted));
  }
}

TEST(IKSolver, ClosedFormsProveThatPosesAreOutOfReach) {
  const IKSolver solver(ur10());
  IKRequest request;
  // The wrist cannot come nearer to the first axis than it is beside it.
  request.target_in_base.translation() = Eigen::Vector3d(0.05, 0.0, 0.8);
  request.deadline = Deadline(0.0);
  EXPECT_EQ(solver.solve(request).status, SolveStatus::kNoSolution);
  request.seed_state = Vector::Zero(6);
  EXPECT_EQ(solver.solve(request).status, SolveStatus::kNoSolution);
  Search search(solver, request);
  EXPECT_EQ(search.run(1, request.deadline), Ending::kUnreachable);
}

TEST(IKSolver, ReachesEveryReachablePose) {
  std::mt19937 random(5);
  for (const Chain& chain : {panda(), railArm(), twoLinks()}) {
    const IKSolver solver(chain);
    for (int i = 0; i < 200; ++i) {
      IKRequest request =
          requestFor(chain, randomPosition(chain, random), randomPosition(chain, random));
      if (i % 2 == 0) {
        request.seed_state.reset();
      }
      const IKSolutions found = solver.solve(request);
      ASSERT_EQ(found.status, SolveStatus::kSolved);
      ASSERT_EQ(found.solutions.size(), 1U);
      EXPECT_TRUE(isExact(chain, request, found.solutions[0].q));
    }
  }
}

TEST(IKSolver, ErrorsAreThoseOfTheSolutions) {
  const Chain chain = panda();
  std::mt19937 random(3);
  const IKSolver solver(chain);
  IKRequest request =
      requestFor(chain, randomPosition(chain, random), randomPosition(chain, random));
  request.num_solutions = 20;
  for (const Solution& solution : solver.solve(request).solutions) {
    const Twist error = poseError(chain.tipInBase(solution.q), request.target_in_base);
    EXPECT_NEAR(solution.position_error, error.head<3>().norm(), 1e-12);
    EXPECT_NEAR(solution.orientation_error, error.tail<3>().norm(), 1e-9);
  }
}

TEST(IKSolver, KeepsConsistencyLimits) {
  const Chain chain = panda();
  const IKSolver solver(chain);
  std::mt19937 random(4);
  std::uniform_real_distribution<double> nearby(-0.1, 0.1);
  int solved = 0;
  for (int i = 0; i < 100; ++i) {
    const Vector seed = randomPosition(chain, random);
    Vector goal = seed;
    for (Eigen::Index j = 0; j < goal.size(); ++j) {
      const Variable& limits = chain.variables()[static_cast<std::size_t>(j)];
      goal[j] = std::min(limits.upper, std::max(limits.lower, goal[j] + nearby(random)));
    }
    const IKRequest request = requestFor(chain, goal, seed, ConsistencyLimits(7, 0.105));
    for (const Solution& solution : solver.solve(request).solutions) {
      EXPECT_LE(largestGap(solution.q, seed), 0.105 + 1e-9);
      ++solved;
    }
  }
  EXPECT_EQ(solved, 100);
}

TEST(IKSolver, TheLargestNumberAsksForAllThatAreFound) {
  for (const Chain& chain : {panda(), ur10()}) {
    const IKSolver solver(chain);
    const Vector q = Vector::Constant(chain.size(), -0.4);
    for (const bool around : {false, true}) {
      IKRequest request;
      request.target_in_base = chain.tipInBase(q);
      if (around) {
        request.seed_state = q;
      }
      request.num_solutions = 500;
      const std::size_t many = solver.solve(request).solutions.size();
      request.num_solutions = std::numeric_limits<std::size_t>::max();
      const std::size_t all = solver.solve(request).solutions.size();
      EXPECT_TRUE(around || all == many);
      EXPECT_GE(all, many / 2);
    }
  }
}

TEST(IKSolver, FindsBothBranchesNearestFirst) {
  const Chain chain = twoLinks();
  const Eigen::Vector2d goal(0.2, 1.0);
  IKRequest request = requestFor(chain, goal, goal + Eigen::Vector2d(0.05, 0.0));
  request.num_solutions = 10;
  const IKSolutions found = positionSolver(chain).solve(request);
  EXPECT_EQ(found.status, SolveStatus::kPartial);
  ASSERT_EQ(found.solutions.size(), 2U) << "there are no others";
  EXPECT_LT((found.solutions[0].q - goal).norm(), 1e-4);
  EXPECT_LT((found.solutions[1].q - Eigen::Vector2d(1.2, -1.0)).norm(), 1e-4);
}

// Two links whose joints turn so far [rad].
Chain twoLinksUpTo(double limit) {
  const Chain once = twoLinks();
  std::vector<Variable> variables = once.variables();
  for (Variable& variable : variables) {
    variable.lower = -limit;
    variable.upper = limit;
  }
  return Chain(std::move(variables), once.joints(), once.tipInLastJoint());
}

TEST(IKSolver, OfTooManyFullTurnsToTryThoseOfOneJointAreFound) {
  const Chain chain = twoLinksUpTo(1e5);  // a thousand million of each solution
  IKRequest request = requestFor(chain, Eigen::Vector2d(0.2, 1.0), Eigen::Vector2d(0.25, 1.0));
  request.num_solutions = 20;
  EXPECT_EQ(positionSolver(chain).solve(request).solutions.size(), 20U);
}

TEST(IKSolver, FullTurnsFollowWhereSolutionsAreMissing) {
  const Chain chain = twoLinksUpTo(2.0 * M_PI);
  const IKSolver solver = positionSolver(chain);
  const Eigen::Vector2d goal(0.2, 1.0);
  IKRequest request = requestFor(chain, goal, Eigen::Vector2d(0.25, 1.0));
  for (const bool around : {true, false}) {
    if (!around) {
      request.seed_state.reset();
    }
    request.num_solutions = 20;
    const IKSolutions all = solver.solve(request);
    ASSERT_EQ(all.solutions.size(), 8U) << "two branches, four turns of each";
    for (std::size_t k = 0; k < all.solutions.size(); ++k) {
      EXPECT_TRUE(isExact(chain, request, all.solutions[k].q, solver.options().tolerance));
      for (std::size_t other = 0; other < k; ++other) {
        EXPECT_GT(largestGap(all.solutions[k].q, all.solutions[other].q), 0.05);
      }
    }
    if (around) {
      EXPECT_LT((all.solutions.front().q - goal).norm(), 1e-4);
    }
    request.num_solutions = 3;
    EXPECT_EQ(solver.solve(request).solutions.size(), 3U);
    request.num_solutions = 20;
    request.accept = [](const Vector& q) { return q[0] > 0.0; };
    EXPECT_EQ(solver.solve(request).solutions.size(), 4U);
    request.accept = {};
  }
}

TEST(IKSolver, WithoutASeedStateTheMostDiverseComeFirst) {
  const Chain chain = panda();
  std::mt19937 random(2);
  const IKSolver solver(chain);
  IKRequest request = requestFor(chain, randomPosition(chain, random), Vector::Zero(7));
  request.seed_state.reset();
  request.num_solutions = 40;
  const std::vector<Vector> found = configurations(solver.solve(request).solutions);
  ASSERT_EQ(found.size(), 40U);
  const auto least_gap = [&](std::size_t first, std::size_t last) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t a = first; a < last; ++a) {
      for (std::size_t b = first; b < a; ++b) {
        least = std::min(least, largestGap(found[a], found[b]));
      }
    }
    return least;
  };
  EXPECT_GT(least_gap(0, 5), 2.0 * least_gap(35, 40));
}

// With branches closer than the distance of duplicates, whichever is found first.
TEST(IKSolver, KeepsTheNearestOfBranchesThatAreTheSame) {
  const Chain chain = twoLinks();
  const IKSolver solver = positionSolver(chain, 1.0);
  std::mt19937 random(8);
  for (int i = 0; i < 200; ++i) {
    const Vector seed = 0.3 * randomPosition(chain, random);
    const Eigen::Vector2d goal(0.2, 0.4);
    const IKSolutions found = solver.solve(requestFor(chain, goal, seed));
    ASSERT_EQ(found.solutions.size(), 1U);
    const double other = (Eigen::Vector2d(0.6, -0.4) - seed).norm();
    EXPECT_NEAR((found.solutions[0].q - seed).norm(), std::min((goal - seed).norm(), other), 1e-3);
  }
}

TEST(IKSolver, NullSpaceStepsFillTheSolutionSetOfARedundantChain) {
  const Chain chain = panda();
  const IKSolver solver(chain);
  std::mt19937 random(6);
  int complete = 0;
  for (int i = 0; i < 10; ++i) {
    const Vector seed = randomPosition(chain, random);
    IKRequest request = requestFor(chain, randomPosition(chain, random), seed);
    request.num_solutions = 40;
    const IKSolutions solved = solver.solve(request);
    complete += solved.status == SolveStatus::kSolved ? 1 : 0;
    const std::vector<Vector> found = configurations(solved.solutions);
    for (std::size_t a = 0; a < found.size(); ++a) {
      EXPECT_TRUE(isExact(chain, request, found[a]));
      for (std::size_t b = 0; b < a; ++b) {
        EXPECT_GE(largestGap(found[a], found[b]), 0.05) << "duplicates";
      }
      if (a > 0) {
        EXPECT_LE((found[a - 1] - seed).norm(), (found[a] - seed).norm());
      }
    }
  }
  EXPECT_GE(complete, 9) << "a pose at the edge of reach may have fewer";
}

TEST(IKSolver, TheFirstSolutionIsNearTheSeedState) {
  // The goal itself is at most 0.3 rad away in every joint, 1.05 in the sum on average.
  const Chain chain = panda();
  const IKSolver solver(chain);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> nearby(-0.3, 0.3);
  double total = 0.0;
  constexpr int kPoses = 100;
  for (int i = 0; i < kPoses; ++i) {
    const Vector seed = randomPosition(chain, random);
    const SearchBox limits(chain.variables(), seed);
    const Vector goal =
        limits.clamp(seed + Vector::NullaryExpr(7, [&] { return nearby(random); }));
    const IKSolutions found = solver.solve(requestFor(chain, goal, seed));
    ASSERT_EQ(found.solutions.size(), 1U);
    total += limits.seedDistance(found.solutions[0].q);
  }
  EXPECT_LT(total / kPoses, 1.2);
}

TEST(IKSolver, TheNearestIsSoughtUnlessThatIsNotAsked) {
  const Chain chain = panda();
  const IKSolver solver(chain);
  std::mt19937 random(12);
  double nearest = 0.0;
  double first = 0.0;
  for (int i = 0; i < 50; ++i) {
    const Vector seed = randomPosition(chain, random);
    IKRequest request = requestFor(chain, randomPosition(chain, random), seed);
    request.num_solutions = 2;  // these are searched for
    const auto distance = [&] { return (solver.solve(request).solutions.at(0).q - seed).norm(); };
    nearest += distance();
    request.seek_nearest = false;
    first += distance();
  }
  EXPECT_LT(nearest, first);
}

TEST(IKSolver, OnlySolutionsThatAreAcceptedCount) {
  const Chain chain = panda();
  const IKSolver solver(chain);
  std::mt19937 random(9);
  const Vector seed = randomPosition(chain, random);
  IKRequest request = requestFor(chain, randomPosition(chain, random), seed);
  std::vector<Vector> offered;
  request.num_solutions = 5;
  request.accept = [&](const Vector& q) {
    offered.push_back(q);
    return offered.size() > 8;
  };
  const IKSolutions found = solver.solve(request);
  EXPECT_EQ(found.status, SolveStatus::kSolved);
  ASSERT_EQ(found.solutions.size(), 5U);
  EXPECT_EQ(found.solutions.front().q, offered.at(8));
  EXPECT_LE((offered[0] - seed).norm(), (offered[1] - seed).norm());
  request.accept = [](const Vector&) { return false; };
  request.deadline = Deadline(0.05);
  const IKSolutions none = solver.solve(request);
  EXPECT_TRUE(none.solutions.empty());
  EXPECT_TRUE(none.status == SolveStatus::kNoSolution || none.status == SolveStatus::kTimedOut);
}

TEST(IKSolver, KnowsAtOnceThatAPoseIsBeyondTheSumOfAllLinks) {
  const Chain chain = panda();
  const IKSolver solver(chain);
  IKRequest request = requestFor(chain, Vector::Zero(7), Vector::Zero(7));
  request.target_in_base.translation().x() = 1.5;
  const double before = processorTime();
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(solver.solve(request).status, SolveStatus::kNoSolution);
  }
  EXPECT_LT((processorTime() - before) / 100, 1e-3);
}

TEST(IKSolver, GivesUpAPoseOutOfReachLongBeforeTheDeadline) {
  // The hand points back from 0.3 m below the floor, which no link length forbids.
  const Chain chain = panda();
  const IKSolver solver(chain);
  IKRequest request = requestFor(chain, Vector::Zero(7), Vector::Zero(7));
  request.target_in_base =
      Eigen::Translation3d(0.1, 0.0, -0.3) * Eigen::AngleAxisd(1.0, Eigen::Vector3d::UnitX());
  const double before = processorTime();
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(solver.solve(request).status, SolveStatus::kNoSolution);
  }
  // Milliseconds; more where the processor has no wide registers, or sanitizers watch.
#ifdef __SANITIZE_ADDRESS__
  const double most = 0.3;
#else
  const double most = 0.03;
#endif
  EXPECT_LT((processorTime() - before) / 10, most);
}

TEST(IKSolver, NoReachablePoseIsBeyondTheBound) {
  // Stretched out, where the bound is tightest, and a prismatic joint at the ends of its range.
  const Chain stretched = twoLinks();
  const IKRequest request = requestFor(stretched, Vector::Zero(2), Vector::Constant(2, 0.1));
  EXPECT_EQ(IKSolver(stretched).solve(request).status, SolveStatus::kSolved);
  const Chain rail = railArm();
  for (const double end : {-0.5, 0.5}) {
    const IKRequest at_end =
        requestFor(rail, Eigen::Vector3d(end, 0.0, 0.0), Eigen::Vector3d(0.0, 0.2, 0.2));
    EXPECT_EQ(IKSolver(rail).solve(at_end).status, SolveStatus::kSolved);
  }
}

TEST(IKSolver, TheSameSeedGivesTheSameResultOnAnyThread) {
  const Chain chain = panda();
  const IKSolver solver(chain);
  std::mt19937 random(6);
  IKRequest request =
      requestFor(chain, randomPosition(chain, random), randomPosition(chain, random));
  request.num_solutions = 30;
  std::array<std::vector<Vector>, 4> results;
  std::vector<std::thread> threads;
  threads.reserve(results.size());
  for (auto& result : results) {
    threads.emplace_back([&] { result = configurations(solver.solve(request).solutions); });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  ASSERT_EQ(results[0].size(), 30U);
  for (const auto& result : results) {
    EXPECT_EQ(result, results[0]);
  }
  request.random_seed = 1;
  EXPECT_NE(configurations(solver.solve(request).solutions), results[0]);
}

TEST(IKSolver, AcceptedSolutionsComeNearestFirst) {
  std::mt19937 random(3);
  for (const Chain& chain : {iiwa(), panda(), ur10OnRail()}) {
    const IKSolver solver(chain);
    for (int i = 0; i < 4; ++i) {
      const Vector goal = randomPosition(chain, random);
      IKRequest request = requestFor(chain, goal, randomPosition(chain, random));
      request.num_solutions = 40;  // found in several rounds
      request.accept = [](const Vector& q) { return std::fmod(std::abs(10.0 * q[0]), 1.0) < 0.3; };
      const auto away = [&](const Solution& one) { return (one.q - *request.seed_state).norm(); };
      const std::vector<Solution> found = solver.solve(request).solutions;
      EXPECT_FALSE(found.empty());
      EXPECT_TRUE(
          std::is_sorted(found.begin(), found.end(),
                         [&](const Solution& a, const Solution& b) { return away(a) < away(b); }));
    }
  }
}

TEST(IKSolver, RefusesInvalidArguments) {
  SolverOptions options;
  options.tolerance.position = 0.0;
  EXPECT_THROW(IKSolver(twoLinks(), options), std::invalid_argument);
  const double infinity = std::numeric_limits<double>::infinity();
  options.tolerance = {infinity, infinity};
  EXPECT_THROW(IKSolver(twoLinks(), options), std::invalid_argument);
  options.tolerance = {};
  options.distinct_distance = std::nan("");
  EXPECT_THROW(IKSolver(twoLinks(), options), std::invalid_argument);
  const IKSolver solver(twoLinks());
  EXPECT_THROW(IKSolver(Chain({}, {})), std::invalid_argument) << "nothing moves";
  EXPECT_THROW((void)solver.tipsInBase(Vector::Zero(3)), std::invalid_argument);
}

// By every call alike, whatever would answer it.
TEST(IKSolver, RefusesSeedStatesAndLimitsThatAreNone) {
  const double nan = std::nan("");
  for (const std::vector<Chain>& chains :
       {std::vector{twoLinks()}, std::vector{ur10()}, std::vector{panda()}, twoArms()}) {
    const IKSolver solver(chains);
    const auto size = std::ssize(solver.variables());
    IKRequest good;
    good.targets_in_base = solver.tipsInBase(Vector::Constant(size, -0.1));
    good.seed_state = Vector::Constant(size, -0.1);
    const auto refused = [&](auto change) {
      IKRequest request = good;
      change(request);
      EXPECT_THROW((void)solver.solve(request), std::invalid_argument);
      EXPECT_THROW((void)solver.nearest(request), std::invalid_argument);
      EXPECT_THROW(Search(solver, request), std::invalid_argument);
    };
    refused([&](IKRequest& request) { request.seed_state = Vector::Zero(size + 1); });
    refused([&](IKRequest& request) { request.seed_state = Vector::Zero(size - 1); });
    refused([&](IKRequest& request) { request.seed_state->coeffRef(0) = nan; });
    refused([&](IKRequest& request) { request.consistency_limits.assign(1, 0.1); });
    const std::vector<double> limits(static_cast<std::size_t>(size), 0.1);
    refused([&](IKRequest& request) {
      request.consistency_limits = limits;
      request.consistency_limits.front() = nan;
    });
    refused([&](IKRequest& request) {
      request.consistency_limits = limits;
      request.seed_state.reset();
    });
    for (const double distance : {nan, -0.1}) {
      EXPECT_THROW((void)Search(solver, good).besideSeedState(distance), std::invalid_argument);
    }
  }
}

TEST(IKSolver, RefusesTargetsThatAreNoPoses) {
  const IKSolver solver(panda());
  const double nan = std::nan("");
  const auto refused = [&](auto change) {
    IKRequest request;
    change(request.target_in_base);
    EXPECT_THROW((void)solver.solve(request), std::invalid_argument);
    EXPECT_THROW(Search(solver, request), std::invalid_argument);
    request.seed_state = Vector::Constant(7, 0.1);
    request.seed_state->coeffRef(3) = -1.0;
    EXPECT_THROW((void)solver.nearest(request), std::invalid_argument);
    PathRequest path;
    path.targets_in_base = {request.target_in_base};
    EXPECT_THROW((void)solver.solvePath(path), std::invalid_argument);
  };
  refused([&](Eigen::Isometry3d& target) { target.translation().z() = nan; });
  refused([&](Eigen::Isometry3d& target) { target.matrix()(0, 0) = nan; });
  refused([&](Eigen::Isometry3d& target) { target.matrix()(3, 3) = 2.0; });
  refused([&](Eigen::Isometry3d& target) { target.linear() *= 1.01; });
  refused([&](Eigen::Isometry3d& target) { target.linear() *= -1.0; });
}

// As in Python: 0.707 stands for the root of 1/2.
TEST(IKSolver, TakesARoundedRotationForTheNearestOne) {
  const Chain chain = panda();
  const IKSolver solver(chain);
  Vector q(7);
  q << 0.1, 0.4, -0.2, -1.6, 0.3, 1.9, 0.5;
  IKRequest request;
  const Eigen::Isometry3d exact = chain.tipInBase(q);
  request.target_in_base = exact;
  request.target_in_base.linear() = (1000.0 * exact.linear()).array().round() / 1000.0;
  request.num_solutions = 5;
  const IKSolutions found = solver.solve(request);
  ASSERT_EQ(found.solutions.size(), 5U);
  for (const Solution& solution : found.solutions) {
    EXPECT_LT(poseError(chain.tipInBase(solution.q), exact).tail<3>().norm(), 2e-3);
    EXPECT_LT(solution.orientation_error, 1.1e-5);
  }
  PathRequest path;
  path.targets_in_base = {request.target_in_base, request.target_in_base};
  const IKPath followed = solver.solvePath(path);
  ASSERT_EQ(followed.status, PathStatus::kComplete);
  EXPECT_LT(followed.solutions[0].orientation_error, 1.1e-5);
}

TEST(IKSolver, TheLeastDistinctDistanceTellsAllApart) {
  SolverOptions options;
  options.distinct_distance = std::numeric_limits<double>::min();
  for (const Chain& chain : {ur10(), panda(), railArm()}) {
    const Vector q = Vector::Constant(chain.size(), -0.3);
    const IKSolver solver(chain, options);
    for (const bool around : {false, true}) {
      IKRequest request;
      request.target_in_base = chain.tipInBase(q);
      request.num_solutions = 3;
      request.seed_state = around ? std::optional(q) : std::nullopt;
      EXPECT_FALSE(solver.solve(request).solutions.empty());
    }
  }
}

TEST(IKSolver, AnInfiniteDistinctDistanceLeavesOneSolution) {
  SolverOptions options;
  options.distinct_distance = std::numeric_limits<double>::infinity();
  for (const Chain& chain : {ur10(), panda(), railArm()}) {
    IKRequest request = requestFor(chain, Vector::Constant(chain.size(), -0.3), Vector());
    request.seed_state.reset();
    request.num_solutions = 20;
    EXPECT_EQ(IKSolver(chain, options).solve(request).solutions.size(), 1U);
  }
}

// What the plugin does with MoveIt's cost function: all candidates, then the cheapest.
TEST(Search, FindsTheCheapestOfAllCandidates) {
  const Chain chain = panda();
  const IKSolver solver(chain);
  std::mt19937 random(6);
  const auto cost = [](const Vector& q) { return std::abs(q[2] - 0.5); };
  int near = 0;
  for (int i = 0; i < 6; ++i) {
    const IKRequest request =
        requestFor(chain, randomPosition(chain, random), randomPosition(chain, random));
    Search search(solver, request);
    search.run(1024, Deadline(5.0));
    const auto ordered = orderByCost(configurations(search.takeNew()), cost);
    ASSERT_FALSE(ordered.empty());
    IKRequest other = requestFor(chain, ordered.back(), ordered.back());
    other.num_solutions = 200;
    for (const Solution& solution : solver.solve(other).solutions) {
      near += cost(solution.q) < cost(ordered.front()) - 0.05;
    }
  }
  EXPECT_EQ(near, 0) << "cheaper solutions of the same poses";
}

TEST(Search, ANearSolutionFromTheSeedStateIsFoundWithoutASearch) {
  const Chain chain = panda();
  const IKSolver solver(chain);
  const Vector seed = Vector::Constant(7, 0.5).cwiseProduct(Vector::LinSpaced(7, 1.0, 0.2)) -
                      Vector::Unit(7, 3) * 2.0;
  Vector goal = seed;
  goal[1] += 0.05;
  const IKRequest request = requestFor(chain, goal, seed);
  Search search(solver, request);
  const std::optional<Solution> beside = search.besideSeedState(0.2);
  ASSERT_TRUE(beside);
  EXPECT_TRUE(isExact(chain, request, beside->q));
  EXPECT_LT(search.limits().largestMove(beside->q), 0.2);
  EXPECT_FALSE(search.besideSeedState(1e-3)) << "it is further away";
  EXPECT_EQ(search.run(20, Deadline(5.0)), Ending::kEnough) << "the search has not begun yet";
  EXPECT_GE(search.takeNew().size(), 20U);
}

TEST(Search, GoesOnWhereItStopped) {
  const Chain chain = panda();
  const IKSolver solver(chain);
  std::mt19937 random(8);
  const IKRequest request =
      requestFor(chain, randomPosition(chain, random), randomPosition(chain, random));
  Search search(solver, request);
  std::size_t found = 0;
  // The pose has more of them than any of these.
  for (const std::size_t wanted : {1U, 30U, 60U}) {
    EXPECT_EQ(search.run(wanted, Deadline(20.0)), Ending::kEnough);
    const std::vector<Solution> fresh = search.takeNew();
    EXPECT_GE(fresh.size(), wanted - std::min(found, wanted));
    for (const Solution& solution : fresh) {
      EXPECT_TRUE(isExact(chain, request, solution.q));
    }
    found += fresh.size();
  }
  EXPECT_TRUE(search.takeNew().empty()) << "each is handed on once";
}

TEST(Search, EndsAtTheDeadline) {
  const Chain chain = panda();
  SolverOptions options;
  options.distinct_distance = 1e-3;
  const IKSolver solver(chain, options);
  std::mt19937 random(10);
  const IKRequest request =
      requestFor(chain, randomPosition(chain, random), randomPosition(chain, random));
  Search search(solver, request);
  const auto start = Deadline::Clock::now();
  // A fast machine has found all that there is to find after four times as long.
  EXPECT_EQ(search.run(1U << 20U, Deadline(0.01)), Ending::kTimedOut);
  const std::chrono::duration<double> taken = Deadline::Clock::now() - start;
  EXPECT_GE(taken.count(), 0.01);
  EXPECT_LT(taken.count(), 0.04) << "more than scheduling on a busy machine explains";
}

TEST(Search, FindsTheClosestConfigurationIfUnreachable) {
  const Chain chain = twoLinks();
  const IKSolver solver(chain);
  IKRequest request = requestFor(chain, Eigen::Vector2d::Zero(), Eigen::Vector2d(0.5, 0.5));
  request.target_in_base.translation().x() = 2.5;
  Search search(solver, request);
  EXPECT_EQ(search.run(1, Deadline(5.0)), Ending::kUnreachable);
  // Stretched out towards the target, to within a millimetre.
  const Vector closest = search.closest(Deadline(1.0));
  ASSERT_EQ(closest.size(), 2);
  EXPECT_NEAR(chain.tipInBase(closest).translation().x(), 2.0, 1e-3);
}

TEST(Search, ReturnsAtOnceIfTheLimitsExcludeEverything) {
  const Chain chain = twoLinks();
  const IKSolver solver(chain);
  const IKRequest request =
      requestFor(chain, Eigen::Vector2d::Zero(), Eigen::Vector2d(3.5, 0.0), {0.1, 0.1});
  Search search(solver, request);
  EXPECT_EQ(search.run(1, Deadline(60.0)), Ending::kUnreachable);
  EXPECT_EQ(search.closest(Deadline(60.0)).size(), 0);
  EXPECT_FALSE(search.besideSeedState(1.0));
}

TEST(Search, WhenExhaustedItCanDistinguishMore) {
  const Chain chain = panda();
  SolverOptions options;
  options.distinct_distance = 1.0;
  const IKSolver solver(chain, options);
  std::mt19937 random(14);
  const IKRequest request =
      requestFor(chain, randomPosition(chain, random), randomPosition(chain, random));
  Search search(solver, request);
  ASSERT_EQ(search.run(1000, Deadline(20.0)), Ending::kExhausted);
  const std::size_t coarse = search.takeNew().size();
  EXPECT_EQ(search.run(2000, Deadline(20.0)), Ending::kExhausted) << "it stays so";
  EXPECT_TRUE(search.takeNew().empty());
  ASSERT_TRUE(search.distinguishMore());
  search.run(1000, Deadline(20.0));
  EXPECT_GT(search.takeNew().size(), coarse);
  const Chain rigid = twoLinks();
  const IKSolver other(rigid);
  const IKRequest of_rigid =
      requestFor(rigid, Eigen::Vector2d(0.2, 1.0), Eigen::Vector2d(0.0, 0.5));
  EXPECT_FALSE(Search(other, of_rigid).distinguishMore());
}

}  // namespace
}  // namespace generative_ik::test

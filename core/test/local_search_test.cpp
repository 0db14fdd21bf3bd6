#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <ctime>
#include <generative_ik/descent.hpp>
#include <generative_ik/local_search.hpp>
#include <thread>

#include "robots.hpp"

namespace generative_ik::test {
namespace {

using Ending = LocalSearch::Ending;

// Processor time, which other programs do not prolong [s].
double processorTime() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double largestGap(const Vector& a, const Vector& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

TEST(Descend, ReturnsASeedThatSolves) {
  const Chain chain = panda();
  std::mt19937 random(3);
  const Vector goal = randomPosition(chain, random);
  const Query query = queryFor(chain, goal, goal);
  const Descent descent =
      descend(chain, query.target_in_base, goal, query.box, query.tolerance, Deadline(1.0));
  EXPECT_TRUE(descent.reached);
  EXPECT_EQ(descent.q, goal);
}

TEST(LocalSearch, ReachesEveryReachablePose) {
  std::mt19937 random(5);
  for (const Chain& chain : {panda(), railArm(), twoLinks()}) {
    for (int i = 0; i < 100; ++i) {
      const Query query =
          queryFor(chain, randomPosition(chain, random), randomPosition(chain, random));
      const auto found = solveLocally(query, 1, Deadline(5.0));
      ASSERT_EQ(found.size(), 1U);
      EXPECT_TRUE(query.box.contains(found[0]));
      EXPECT_TRUE(
          isWithin(poseError(chain.tipInBase(found[0]), query.target_in_base), query.tolerance));
    }
  }
}

// What the plugin does with MoveIt's cost function: all candidates, then the cheapest.
TEST(LocalSearch, FindsTheCheapestOfAllCandidates) {
  const Chain chain = panda();
  std::mt19937 random(6);
  const auto cost = [](const Vector& q) { return std::abs(q[2] - 0.5); };
  int near = 0;
  for (int i = 0; i < 20; ++i) {
    const Query query =
        queryFor(chain, randomPosition(chain, random), randomPosition(chain, random));
    LocalSearch search(query, 1);
    search.run(1024, Deadline(5.0));
    CandidateList candidates(query);
    for (const Vector& q : search.solutions()) {
      candidates.add(q);
    }
    const auto ordered = orderByCost(candidates.takeNearestFirst(), cost);
    ASSERT_FALSE(ordered.empty());
    const Query other = queryFor(chain, ordered.back(), ordered.back());
    for (const Vector& q : solveLocally(other, 200, Deadline(5.0))) {
      near += cost(q) < cost(ordered.front()) - 0.05;
    }
  }
  EXPECT_EQ(near, 0) << "cheaper solutions of the same poses";
}

TEST(LocalSearch, KeepsConsistencyLimits) {
  const Chain chain = panda();
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
    const Query query = queryFor(chain, goal, seed, ConsistencyLimits(7, 0.105));
    for (const Vector& q : solveLocally(query, 1, Deadline(1.0))) {
      EXPECT_LE(largestGap(q, seed), 0.105 + 1e-9);
      ++solved;
    }
  }
  EXPECT_EQ(solved, 100);
}

TEST(LocalSearch, FindsBothBranchesNearestFirst) {
  const Chain chain = twoLinks();
  const Eigen::Vector2d goal(0.2, 1.0);
  Query query = queryFor(chain, goal, goal + Eigen::Vector2d(0.05, 0.0));
  query.tolerance.orientation = std::numeric_limits<double>::infinity();
  const auto found = solveLocally(query, 10, Deadline(5.0));
  ASSERT_EQ(found.size(), 2U) << "there are no others";
  EXPECT_LT((found[0] - goal).norm(), 1e-4);
  EXPECT_LT((found[1] - Eigen::Vector2d(1.2, -1.0)).norm(), 1e-4);
}

// With branches closer than the distance of duplicates, whichever is found first.
TEST(LocalSearch, KeepsTheNearestOfBranchesThatAreTheSame) {
  const Chain chain = twoLinks();
  std::mt19937 random(8);
  LocalSearchSettings settings;
  settings.distinct_distance = 1.0;
  for (int i = 0; i < 200; ++i) {
    const Vector seed = 0.3 * randomPosition(chain, random);
    const Eigen::Vector2d goal(0.2, 0.4);
    Query query = queryFor(chain, goal, seed);
    query.tolerance.orientation = std::numeric_limits<double>::infinity();
    const auto found = solveLocally(query, 1, Deadline(5.0), settings);
    ASSERT_EQ(found.size(), 1U);
    const double other = query.box.seedDistance(Eigen::Vector2d(0.6, -0.4));
    EXPECT_NEAR(query.box.seedDistance(found[0]),
                std::min(query.box.seedDistance(goal), other), 1e-3);
  }
}

TEST(LocalSearch, NullSpaceStepsFillTheSolutionSetOfARedundantChain) {
  const Chain chain = panda();
  std::mt19937 random(6);
  int complete = 0;
  for (int i = 0; i < 10; ++i) {
    const Vector seed = randomPosition(chain, random);
    const Query query = queryFor(chain, randomPosition(chain, random), seed);
    LocalSearch search(query, 40);
    complete += search.run(40, Deadline(10.0)) == Ending::kEnough ? 1 : 0;
    const std::vector<Vector>& found = search.solutions();
    for (std::size_t a = 0; a < found.size(); ++a) {
      EXPECT_TRUE(
          isWithin(poseError(chain.tipInBase(found[a]), query.target_in_base), query.tolerance));
      for (std::size_t b = 0; b < a; ++b) {
        EXPECT_GE(largestGap(found[a], found[b]), 0.01) << "duplicates";
      }
    }
    const std::vector<Vector> sorted = solveLocally(query, 40, Deadline(10.0));
    for (std::size_t k = 1; k < sorted.size(); ++k) {
      EXPECT_LE(query.box.seedDistance(sorted[k - 1]), query.box.seedDistance(sorted[k]));
    }
  }
  EXPECT_GE(complete, 9) << "a pose at the edge of reach may have fewer";
}

TEST(LocalSearch, TheFirstSolutionIsNearTheSeedState) {
  // The goal itself is at most 0.3 rad away in every joint, 1.05 in the sum on average.
  const Chain chain = panda();
  std::mt19937 random(7);
  std::uniform_real_distribution<double> nearby(-0.3, 0.3);
  double total = 0.0;
  constexpr int kPoses = 100;
  for (int i = 0; i < kPoses; ++i) {
    const Vector seed = randomPosition(chain, random);
    const Vector goal = seed + Vector::NullaryExpr(7, [&] { return nearby(random); });
    const Query query = queryFor(chain,
                                 goal.cwiseMax(SearchBox(chain.variables(), seed).lower())
                                     .cwiseMin(SearchBox(chain.variables(), seed).upper()),
                                 seed);
    const auto found = solveLocally(query, 1, Deadline(5.0));
    ASSERT_EQ(found.size(), 1U);
    total += query.box.seedDistance(found[0]);
  }
  EXPECT_LT(total / kPoses, 1.2);
}

TEST(LocalSearch, ANearSolutionFromTheSeedStateEndsASearchForOne) {
  const Chain chain = panda();
  const Vector seed = Vector::Constant(7, 0.5).cwiseProduct(Vector::LinSpaced(7, 1.0, 0.2)) -
                      Vector::Unit(7, 3) * 2.0;
  Vector goal = seed;
  goal[1] += 0.05;
  const Query query = queryFor(chain, goal, seed);
  LocalSearchSettings settings;
  settings.near = 0.2;
  LocalSearch near(query, 1, settings);
  EXPECT_EQ(near.run(1, Deadline(1.0)), Ending::kEnough);
  LocalSearch thorough(query, 1);
  EXPECT_EQ(thorough.run(1, Deadline(1.0)), Ending::kEnough);
  EXPECT_LT(near.solutions().size(), thorough.solutions().size());
  EXPECT_LT(query.box.largestMove(near.solutions().front()), 0.2);
  EXPECT_EQ(near.run(20, Deadline(1.0)), Ending::kEnough) << "it goes on";
  EXPECT_GE(near.solutions().size(), 20U);
}

TEST(LocalSearch, GoesOnWhereItStopped) {
  const Chain chain = panda();
  std::mt19937 random(8);
  const Query query =
      queryFor(chain, randomPosition(chain, random), randomPosition(chain, random));
  LocalSearch search(query, 1);
  EXPECT_EQ(search.run(1, Deadline(5.0)), Ending::kEnough);
  const std::vector<Vector> first = search.solutions();
  EXPECT_EQ(search.run(60, Deadline(5.0)), Ending::kEnough);
  ASSERT_GE(search.solutions().size(), 60U);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), search.solutions().begin()));
}

TEST(LocalSearch, KnowsAtOnceThatAPoseIsBeyondTheSumOfAllLinks) {
  const Chain chain = panda();
  Query query = queryFor(chain, Vector::Zero(7), Vector::Zero(7));
  query.target_in_base.translation().x() = 1.2;
  const double before = processorTime();
  for (int i = 0; i < 100; ++i) {
    LocalSearch search(query, 1);
    ASSERT_EQ(search.run(1, Deadline(5.0)), Ending::kUnreachable);
  }
  EXPECT_LT((processorTime() - before) / 100, 1e-3);
}

TEST(LocalSearch, GivesUpAPoseOutOfReachLongBeforeTheDeadline) {
  // The hand points back from 0.3 m below the floor, which no link length forbids.
  const Chain chain = panda();
  Query query = queryFor(chain, Vector::Zero(7), Vector::Zero(7));
  query.target_in_base =
      Eigen::Translation3d(0.1, 0.0, -0.3) * Eigen::AngleAxisd(1.0, Eigen::Vector3d::UnitX());
  const double before = processorTime();
  for (int i = 0; i < 10; ++i) {
    LocalSearch search(query, 1);
    ASSERT_EQ(search.run(1, Deadline(5.0)), Ending::kUnreachable);
  }
  // Milliseconds; more where the processor has no wide registers, or sanitizers watch.
#ifdef __SANITIZE_ADDRESS__
  const double most = 0.3;
#else
  const double most = 0.03;
#endif
  EXPECT_LT((processorTime() - before) / 10, most);
}

TEST(LocalSearch, NoReachablePoseIsBeyondTheBound) {
  // Stretched out, where the bound is tightest, and a prismatic joint at the ends of its range.
  std::mt19937 random(9);
  const Chain stretched = twoLinks();
  EXPECT_EQ(solveLocally(queryFor(stretched, Vector::Zero(2), Vector::Constant(2, 0.1)), 1,
                         Deadline(5.0))
                .size(),
            1U);
  const Chain rail = railArm();
  for (const double end : {-0.5, 0.5}) {
    const Query query =
        queryFor(rail, Eigen::Vector3d(end, 0.0, 0.0), Eigen::Vector3d(0.0, 0.2, 0.2));
    EXPECT_EQ(solveLocally(query, 1, Deadline(5.0)).size(), 1U);
  }
}

TEST(LocalSearch, EndsAtTheDeadline) {
  const Chain chain = panda();
  std::mt19937 random(10);
  const Query query =
      queryFor(chain, randomPosition(chain, random), randomPosition(chain, random));
  LocalSearchSettings settings;
  settings.distinct_distance = 1e-3;
  LocalSearch search(query, 1, settings);
  const auto start = Deadline::Clock::now();
  EXPECT_EQ(search.run(1U << 30U, Deadline(0.05)), Ending::kTimedOut);
  const std::chrono::duration<double> taken = Deadline::Clock::now() - start;
  EXPECT_GE(taken.count(), 0.05);
  EXPECT_LT(taken.count(), 0.08) << "more than scheduling on a busy machine explains";
}

TEST(LocalSearch, FindsTheClosestConfigurationIfUnreachable) {
  const Chain chain = twoLinks();
  Query query = queryFor(chain, Eigen::Vector2d::Zero(), Eigen::Vector2d(0.5, 0.5));
  query.target_in_base.translation().x() = 2.5;
  LocalSearch search(query, 1);
  EXPECT_EQ(search.run(1, Deadline(5.0)), Ending::kUnreachable);
  // Stretched out towards the target, to within a millimetre.
  EXPECT_NEAR(chain.tipInBase(search.closest(Deadline(1.0))).translation().x(), 2.0, 1e-3);
}

TEST(LocalSearch, ReturnsAtOnceIfTheBoxIsEmpty) {
  const Chain chain = twoLinks();
  const Query query =
      queryFor(chain, Eigen::Vector2d::Zero(), Eigen::Vector2d(3.5, 0.0), {0.1, 0.1});
  LocalSearch search(query, 1);
  EXPECT_EQ(search.run(1, Deadline(60.0)), Ending::kUnreachable);
  EXPECT_EQ(search.closest(Deadline(60.0)).size(), 0);
}

TEST(LocalSearch, TheSameSeedGivesTheSameResultOnAnyThread) {
  const Chain chain = panda();
  std::mt19937 random(6);
  const Query query =
      queryFor(chain, randomPosition(chain, random), randomPosition(chain, random));
  std::array<std::vector<Vector>, 4> results;
  std::vector<std::thread> threads;
  threads.reserve(results.size());
  for (auto& result : results) {
    threads.emplace_back([&] { result = solveLocally(query, 30, Deadline(20.0)); });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  ASSERT_EQ(results[0].size(), 30U);
  for (const auto& result : results) {
    EXPECT_EQ(result, results[0]);
  }
  LocalSearchSettings other;
  other.random_seed = 1;
  EXPECT_NE(solveLocally(query, 30, Deadline(20.0), other), results[0]);
}

TEST(LocalSearch, AnExhaustedSearchCanDistinguishMore) {
  const Chain chain = panda();
  std::mt19937 random(14);
  const Query query =
      queryFor(chain, randomPosition(chain, random), randomPosition(chain, random));
  LocalSearchSettings settings;
  settings.distinct_distance = 1.0;
  LocalSearch search(query, 1, settings);
  ASSERT_EQ(search.run(1000, Deadline(20.0)), Ending::kExhausted);
  const std::size_t coarse = search.solutions().size();
  ASSERT_TRUE(search.distinguishMore());
  search.run(1000, Deadline(20.0));
  EXPECT_GT(search.solutions().size(), 2 * coarse);
  const Chain rigid = twoLinks();
  const Query other = queryFor(rigid, Eigen::Vector2d(0.2, 1.0), Eigen::Vector2d(0.0, 0.5));
  EXPECT_FALSE(LocalSearch(other, 1).distinguishMore());
}

}  // namespace
}  // namespace generative_ik::test

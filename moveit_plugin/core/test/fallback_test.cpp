#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <generative_ik_core/fallback.hpp>
#include <thread>

#include "robots.hpp"

namespace generative_ik::test {
namespace {

constexpr int kManyDescents = 1000;

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

TEST(Descend, KeepsConsistencyLimits) {
  const Chain chain = panda();
  std::mt19937 random(4);
  std::uniform_real_distribution<double> nearby(-0.1, 0.1);
  int reached = 0;
  for (int i = 0; i < 100; ++i) {
    const Vector seed = randomPosition(chain, random);
    Vector goal = seed;
    for (Eigen::Index j = 0; j < goal.size(); ++j) {
      const Variable& limits = chain.variables()[static_cast<std::size_t>(j)];
      goal[j] = std::min(limits.upper, std::max(limits.lower, goal[j] + nearby(random)));
    }
    const Query query = queryFor(chain, goal, seed, ConsistencyLimits(7, 0.105));
    const Descent descent =
        descend(chain, query.target_in_base, seed, query.box, query.tolerance, Deadline(1.0));
    EXPECT_TRUE(query.box.contains(descent.q));
    reached += descent.reached ? 1 : 0;
  }
  EXPECT_GE(reached, 98);
}

TEST(SolveLocally, ReachesEveryReachablePose) {
  std::mt19937 random(5);
  for (const Chain& chain : {panda(), railArm(), twoLinks()}) {
    for (int i = 0; i < 100; ++i) {
      const Query query =
          queryFor(chain, randomPosition(chain, random), randomPosition(chain, random));
      const auto found = solveLocally(query, 1, kManyDescents, Deadline(5.0));
      ASSERT_EQ(found.size(), 1U);
      EXPECT_TRUE(query.box.contains(found[0]));
      EXPECT_TRUE(
          isWithin(poseError(chain.tipInBase(found[0]), query.target_in_base), query.tolerance));
    }
  }
}

TEST(SolveLocally, FindsBothBranchesNearestFirst) {
  const Chain chain = twoLinks();
  const Eigen::Vector2d goal(0.2, 1.0);
  Query query = queryFor(chain, goal, goal + Eigen::Vector2d(0.05, 0.0));
  query.tolerance.orientation = std::numeric_limits<double>::infinity();
  const auto found = solveLocally(query, 2, kManyDescents, Deadline(5.0));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_LT((found[0] - goal).norm(), 1e-4);
  EXPECT_LT((found[1] - Eigen::Vector2d(1.2, -1.0)).norm(), 1e-4);
}

TEST(SolveLocally, EndsAtTheDeadlineAndKeepsTheClosestIfUnreachable) {
  const Chain chain = twoLinks();
  Query query = queryFor(chain, Eigen::Vector2d::Zero(), Eigen::Vector2d(0.5, 0.5));
  query.target_in_base.translation().x() = 2.5;
  const auto start = Deadline::Clock::now();
  EXPECT_TRUE(solveLocally(query, 1, 1 << 30, Deadline(0.05)).empty());
  const std::chrono::duration<double> taken = Deadline::Clock::now() - start;
  EXPECT_GE(taken.count(), 0.05);
  EXPECT_LT(taken.count(), 0.08) << "more than scheduling on a busy machine explains";

  FallbackSearch search(query);
  for (int i = 0; i < 50; ++i) {
    EXPECT_FALSE(search.next(Deadline(1.0)).reached);
  }
  // Stretched out towards the target, to within a millimetre.
  EXPECT_NEAR(chain.tipInBase(search.closest()).translation().x(), 2.0, 1e-3);
}

TEST(SolveLocally, ReturnsAtOnceIfTheBoxIsEmpty) {
  const Chain chain = twoLinks();
  const Query query =
      queryFor(chain, Eigen::Vector2d::Zero(), Eigen::Vector2d(3.5, 0.0), {0.1, 0.1});
  EXPECT_TRUE(solveLocally(query, 1, 1 << 30, Deadline(60.0)).empty());
}

TEST(SolveLocally, ThreadsShareNothing) {
  const Chain chain = panda();
  std::mt19937 random(6);
  const Query query =
      queryFor(chain, randomPosition(chain, random), randomPosition(chain, random));
  std::array<std::vector<Vector>, 4> results;
  std::vector<std::thread> threads;
  threads.reserve(results.size());
  for (auto& result : results) {
    threads.emplace_back([&] { result = solveLocally(query, 3, kManyDescents, Deadline(20.0)); });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  ASSERT_FALSE(results[0].empty());
  for (const auto& result : results) {
    EXPECT_EQ(result, results[0]);
  }
}

}  // namespace
}  // namespace generative_ik::test

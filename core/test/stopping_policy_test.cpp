// Which seeds a target gets and when its search ends, without any geometry: tests say what became
// of each seed.
#include "../src/search/stopping_policy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "../src/search/budget.hpp"

namespace generative_ik::search {
namespace {

constexpr double kPersistence = 14.0;  // of seven joints

struct Wishes {
  std::int64_t wanted = 1;
  std::int64_t first = 0;  // solutions that are enough in the end; 0: all that are wanted
  bool redundant = false;
  std::int64_t min_restarts = 0;
  std::int64_t batch = 32;
  double persistence = 0.0;
  std::int64_t most_restarts = kGiveUp;
  bool traced = false;
};

class Restarted {
 public:
  explicit Restarted(const Wishes& wishes) {
    criteria_.num_solutions = wishes.wanted;
    criteria_.wanted = wishes.first > 0 ? wishes.first : wishes.wanted;
    criteria_.min_restarts = wishes.min_restarts;
    criteria_.redundant = wishes.redundant;
    criteria_.persistence = wishes.persistence;
    criteria_.most_restarts = wishes.most_restarts;
    criteria_.traced = wishes.traced;
    target.restarts_left = wishes.batch;
  }

  SeedKind next(std::int64_t given = 0, bool endless = true) {
    return chooseSeed(target, criteria_, count_, given, endless);
  }

  std::vector<SeedKind> next(int times, std::int64_t given, bool endless) {
    std::vector<SeedKind> kinds;
    for (int i = 0; i < times; ++i) {
      kinds.push_back(next(given, endless));
    }
    return kinds;
  }

  void over(SeedKind kind, bool converged, bool found_new, bool collides = false) {
    count_ += found_new ? 1 : 0;
    target.usable += found_new && !collides ? 1 : 0;
    target.free += found_new && !collides ? 1 : 0;
    countSeed(target, criteria_, count_, kind, converged, found_new);
  }

  // Restarts that converge, the first of them to new solutions.
  void find(int finds, int found_new = 0) {
    for (int k = 0; k < finds; ++k) {
      over(SeedKind::kRestart, true, k < found_new);
    }
  }

  void miss(int misses) {
    for (int k = 0; k < misses; ++k) {
      over(SeedKind::kRestart, false, false);
    }
  }

  // Begins null-space steps until something else comes; how many.
  int stepsBegun() {
    int steps = 0;
    while (next() == SeedKind::kNullSpace) {
      ++steps;
    }
    return steps;
  }

  [[nodiscard]] bool closed() const { return target.closed; }

  Target target{};

 private:
  StoppingCriteria criteria_{};
  std::int64_t count_ = 0;
};

std::vector<SeedKind> times(int count, SeedKind kind) {
  return std::vector<SeedKind>(static_cast<std::size_t>(count), kind);
}

TEST(StoppingPolicy, ASearchEndsTheMomentThereIsEnough) {
  Restarted target({.wanted = 10});
  target.find(9, 9);
  EXPECT_FALSE(target.closed());
  target.find(1, 1);
  EXPECT_TRUE(target.closed());
}

TEST(StoppingPolicy, SolutionsThatCollideAreNotEnough) {
  Restarted target({.wanted = 2});
  for (const bool collides : {true, true, false, true}) {
    target.over(SeedKind::kRestart, true, true, collides);
  }
  EXPECT_FALSE(target.closed());
  target.over(SeedKind::kRestart, true, true);
  EXPECT_TRUE(target.closed());
}

TEST(StoppingPolicy, ASearchEndsWhenNothingIsNew) {
  Restarted target({.wanted = 100});
  target.find(64, 8);
  target.find(63);
  EXPECT_FALSE(target.closed());  // 63 finds prove nothing yet
  target.find(1);
  EXPECT_TRUE(target.closed());
}

TEST(StoppingPolicy, ASearchEndsWhereRestartsNoLongerConverge) {
  Restarted target({.wanted = 100});
  target.find(1, 1);
  target.miss(2 * kGiveUp - 2);
  EXPECT_FALSE(target.closed());
  target.miss(1);
  EXPECT_TRUE(target.closed());
}

TEST(StoppingPolicy, HoweverLongASearchMayTryForItEndsWithoutASolution) {
  Restarted target({.persistence = 1e300, .most_restarts = 1L << 60});
  target.target.closest_error = 1.0;
  target.miss(kGiveUp);
  EXPECT_TRUE(target.closed());
}

TEST(StoppingPolicy, ASearchWithoutAnySolutionIsGivenUp) {
  Restarted target({});
  target.miss(kGiveUp - 1);
  EXPECT_FALSE(target.closed());
  target.miss(1);
  EXPECT_TRUE(target.closed());
}

TEST(StoppingPolicy, TheCloserRestartsComeTheLongerASearchGoesOn) {
  struct Case {
    double closest;
    int restarts;
  };
  for (const auto& [closest, restarts] :
       {Case{1.0, 60}, Case{0.2, 70}, Case{0.1, 140}, Case{0.03, 467}, Case{0.01, 512},
        Case{0.001, kGiveUp}}) {
    Restarted target({.persistence = kPersistence, .most_restarts = 512});
    target.target.closest_error = closest * closest;
    target.miss(restarts - 1);
    EXPECT_FALSE(target.closed()) << closest;
    target.miss(1);
    EXPECT_TRUE(target.closed()) << closest;
  }
}

TEST(StoppingPolicy, RestartsAroundASeedStateDoNotCountTowardsGivingUp) {
  Restarted target({.min_restarts = 300, .persistence = kPersistence, .most_restarts = 512});
  target.target.closest_error = 1.0;
  target.miss(359);
  EXPECT_FALSE(target.closed());
  target.miss(1);
  EXPECT_TRUE(target.closed());
}

TEST(StoppingPolicy, RestartsAroundASeedStateDoNotTellWhetherThereIsMore) {
  Restarted target({.wanted = 100, .min_restarts = 300});
  target.find(300, 1);
  EXPECT_FALSE(target.closed());
  target.find(63);
  EXPECT_FALSE(target.closed());
  target.find(1);
  EXPECT_TRUE(target.closed());
}

TEST(StoppingPolicy, RestartsThenARoundOfNullSpaceStepsThenRestarts) {
  Restarted target({.wanted = 100, .redundant = true, .batch = 20});
  EXPECT_EQ(target.next(20, 0, true), times(20, SeedKind::kRestart));
  target.find(10, 10);
  target.miss(10);
  EXPECT_EQ(target.stepsBegun(), 151);  // 1.5 for each that is missing, and 16
}

TEST(StoppingPolicy, ARoundThatFindsLittleIsNotRepeatedBeforeSomethingNewTurnsUp) {
  Restarted target({.wanted = 100, .redundant = true, .batch = 16});
  target.next(16, 0, true);
  target.find(16, 16);
  const int size = target.stepsBegun();
  for (int k = 0; k < size; ++k) {
    target.over(SeedKind::kNullSpace, true, k < 0.04 * size);
  }
  EXPECT_FALSE(target.target.null_space_pays);
  EXPECT_EQ(target.next(200, 0, true), times(200, SeedKind::kRestart));
  target.find(1, 1);
  EXPECT_TRUE(target.target.null_space_pays);
}

TEST(StoppingPolicy, ASearchGoesOnWhileNullSpaceStepsAreUnderWay) {
  Restarted target({.wanted = 100, .redundant = true, .batch = 16});
  // Nothing was found, so there is nothing to step from.
  EXPECT_EQ(target.next(17, 0, true), times(17, SeedKind::kRestart));
  target.find(16, 16);
  while (target.next() != SeedKind::kNullSpace) {
  }
  target.find(48);
  target.find(64);
  EXPECT_FALSE(target.closed());
  target.stepsBegun();
  for (int k = 0; k < 200; ++k) {
    target.over(SeedKind::kNullSpace, true, false);
  }
  target.find(64);
  EXPECT_TRUE(target.closed());
}

TEST(StoppingPolicy, ChainsThatAreNotRedundantTakeNoNullSpaceSteps) {
  Restarted target({.wanted = 100});
  target.find(60, 60);
  EXPECT_EQ(target.next(500, 0, true), times(500, SeedKind::kRestart));
}

TEST(StoppingPolicy, SeedsThatAreNotThereAreAskedFor) {
  Restarted target({.wanted = 100});
  EXPECT_EQ(target.next(3, 3, false), times(3, SeedKind::kRestart));
  EXPECT_EQ(target.next(3, false), SeedKind::kNoneLeft);
  EXPECT_EQ(target.next(4, false), SeedKind::kRestart);
}

TEST(StoppingPolicy, AroundASeedStateAllFirstSeedsAreTriedAndThenTheNearestIsRefined) {
  Restarted target({.redundant = true, .min_restarts = 16});
  target.target.near = true;
  target.find(15, 1);
  EXPECT_FALSE(target.closed());
  target.find(1);
  EXPECT_FALSE(target.closed());
  EXPECT_EQ(target.next(24, 0, true), times(24, SeedKind::kTowardsSeedState));
  EXPECT_EQ(target.next(), SeedKind::kNoneNeeded);
  for (int k = 0; k < 24; ++k) {
    EXPECT_FALSE(target.closed());
    target.over(SeedKind::kTowardsSeedState, true, false);
  }
  EXPECT_TRUE(target.closed());
}

TEST(StoppingPolicy, SingleSolutionsHaveNoNearerOnesBesideThem) {
  Restarted target({.min_restarts = 16});
  target.find(16, 1);
  EXPECT_FALSE(target.closed());  // nothing near the seed state was found yet
  target.find(80);
  EXPECT_TRUE(target.closed());
}

TEST(StoppingPolicy, WhereHalfOfWhatIsFoundIsKnownThoseAskedForAreEnough) {
  Restarted sparse({.wanted = 25, .first = 10});
  sparse.find(12, 12);
  EXPECT_FALSE(sparse.closed());
  Restarted dense({.wanted = 25, .first = 10});
  dense.find(20, 9);
  EXPECT_FALSE(dense.closed());
  dense.find(1, 1);
  EXPECT_TRUE(dense.closed());
}

constexpr Wishes kTraced = {.wanted = 30, .first = 10, .redundant = true, .traced = true};

TEST(StoppingPolicy, WhereCurvesAreTracedStepsThatWaitComeFirst) {
  Restarted target(kTraced);
  target.target.queue_end = 1;
  EXPECT_EQ(target.next(), SeedKind::kNullSpace);
  target.target.queue_begin = 1;
  EXPECT_EQ(target.next(), SeedKind::kRestart);
}

TEST(StoppingPolicy, ASearchEndsWhenAllCurvesAreTracedButNotBelowWhatIsWanted) {
  Restarted target(kTraced);
  target.target.traced_all = true;
  target.find(9, 9);
  EXPECT_FALSE(target.closed());
  target.target.queue_end = 1;
  target.find(1, 1);
  EXPECT_FALSE(target.closed());  // a step waits
  target.target.queue_begin = 1;
  target.find(1);
  EXPECT_TRUE(target.closed());
}

TEST(StoppingPolicy, CurvesWithoutEndAreTracedUpToANumberOfSeeds) {
  Restarted target(kTraced);
  target.find(59, 11);
  EXPECT_FALSE(target.closed());
  target.find(1);
  EXPECT_TRUE(target.closed());
}

TEST(StoppingPolicy, CurvesWhoseSolutionsAreMostlyUndecidedComeToAnEnd) {
  Restarted target(kTraced);
  target.find(12, 12);
  target.target.free = 0;
  target.find(51);
  EXPECT_FALSE(target.closed());
  target.find(65);
  EXPECT_TRUE(target.closed());
}

std::int64_t extraSolutions(std::int64_t wanted, std::int64_t dimensions, bool redundant) {
  const Budget budget =
      budgetOf({.wanted = wanted, .num_variables = redundant ? 7 : 6, .dimensions = dimensions});
  return budget.looked_for - budget.wanted;
}

TEST(Budget, LooksForFewerExtraSolutionsTheMoreAreWanted) {
  constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(extraSolutions(1, 1, true), 0);
  EXPECT_EQ(extraSolutions(2, 0, false), 2);
  EXPECT_EQ(extraSolutions(20, 0, true), 14);
  EXPECT_EQ(extraSolutions(kManyWanted, 0, true), 4);  // see stopping_policy.cpp
  EXPECT_EQ(extraSolutions(128, 0, false), 0);
  EXPECT_EQ(extraSolutions(kAll, 0, false), 0);
  EXPECT_EQ(extraSolutions(100, 1, false), 200);
  EXPECT_EQ(extraSolutions(100, 2, false), 150);
  EXPECT_EQ(extraSolutions(100, 3, true), 100);
  EXPECT_EQ(extraSolutions(kAll, 2, false), 512);
}

}  // namespace
}  // namespace generative_ik::search

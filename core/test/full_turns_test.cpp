// Full turns against answers worked out by hand.
#include "../src/select/full_turns.hpp"

#include <gtest/gtest.h>

#include <array>

namespace generative_ik::test {
namespace {

TEST(FullTurns, TurnTowardsAReferenceWithinLimits) {
  EXPECT_DOUBLE_EQ(turnTowards(0.5, 6.0, -7.0, 7.0), 0.5 + kTurn);
  EXPECT_DOUBLE_EQ(turnTowards(0.5, 6.0, -7.0, 6.0), 0.5);
  EXPECT_DOUBLE_EQ(turnTowards(0.5, 1.0, -7.0, 7.0), 0.5);
  // No turn is within the limits: the nearest place is on one.
  EXPECT_DOUBLE_EQ(turnTowards(3.0, 0.0, -1.0, 1.0), 1.0);
}

TEST(FullTurns, ListsOthersNearestFirst) {
  const std::array<double, 4> positions = {0.5, 1.0, -2.0, 1.5};
  const std::array<double, 2> reference = {0.0, 0.0};
  const std::array<double, 2> lower = {-7.0, -7.0};
  const std::array<double, 2> upper = {7.0, 7.0};
  const std::array<std::int64_t, 1> turned = {0};
  const TurningRows rows = {positions.data(), 2, 2, reference.data(), lower.data(), upper.data(),
                            turned.data(),    1};
  // 0.5 and 0.5 +- a turn, -2 and -2 + a turn.
  EXPECT_EQ(countTurns(rows), 5.0);
  const std::vector<double> others = otherTurns(rows, 2);
  ASSERT_EQ(others.size(), 4U);
  EXPECT_DOUBLE_EQ(others[0], -2.0 + kTurn);
  EXPECT_DOUBLE_EQ(others[1], 1.5);
  EXPECT_DOUBLE_EQ(others[2], 0.5 - kTurn);
  EXPECT_DOUBLE_EQ(others[3], 1.0);
  EXPECT_EQ(otherTurns(rows, 100).size(), 6U);
  EXPECT_TRUE(otherTurns(rows, 0).empty());
}

TEST(FullTurns, WeighsDistances) {
  const std::array<double, 2> positions = {0.0, 0.0};
  const std::array<double, 2> reference = {2.0, 2.0};
  const std::array<double, 2> lower = {-1.0, -1.0};
  const std::array<double, 2> upper = {7.0, 7.0};
  const std::array<std::int64_t, 2> turned = {0, 1};
  for (const std::size_t light : {0U, 1U}) {
    std::array<double, 2> weights = {1.0, 1.0};
    weights.at(light) = 0.1;
    const TurningRows rows = {
        positions.data(), 1, 2, reference.data(), lower.data(), upper.data(), turned.data(), 2,
        weights.data()};
    const std::vector<double> others = otherTurns(rows, 1);
    ASSERT_EQ(others.size(), 2U);
    EXPECT_DOUBLE_EQ(others[light], kTurn);
    EXPECT_DOUBLE_EQ(others[1 - light], 0.0);
  }
}

TEST(FullTurns, LeavesOutJointsWithTooManyTurns) {
  const std::array<double, 2> positions = {0.0, 0.0};
  const std::array<double, 2> lower = {-1e4, -1e12};
  const std::array<double, 2> upper = {1e4, 1e12};
  const std::array<std::int64_t, 2> turned = {0, 1};
  TurningRows rows = {positions.data(), 1, 2, positions.data(), lower.data(), upper.data(),
                      turned.data(),    2};
  EXPECT_EQ(limitTurns(rows), 3183.0);
  EXPECT_EQ(rows.num_turned, 1);
}

TEST(FullTurns, OfARowOutsideTheLimitsAllCombinationsAreOthers) {
  const std::array<double, 2> positions = {7.5, 0.5};
  const std::array<double, 2> lower = {-7.0, -7.0};
  const std::array<double, 2> upper = {7.0, 7.0};
  const std::array<std::int64_t, 2> turned = {0, 1};
  const TurningRows rows = {positions.data(), 1, 2, lower.data(), lower.data(), upper.data(),
                            turned.data(),    2};
  // A turn and two turns less, times a turn less, none and a turn more.
  EXPECT_EQ(otherTurns(rows, 100).size(), 2U * 6U);
}

TEST(FullTurns, LimitsThatExcludeEachOtherCostNoTime) {
  const std::array<double, 2> positions = {0.0, 0.0};
  const std::array<double, 2> lower = {100.0, -1e12};
  const std::array<double, 2> upper = {-100.0, 1e12};
  const std::array<std::int64_t, 2> turned = {0, 1};
  TurningRows rows = {positions.data(), 1, 2, positions.data(), lower.data(), upper.data(),
                      turned.data(),    2};
  limitTurns(rows);
  EXPECT_EQ(rows.num_turned, 1);
  EXPECT_TRUE(otherTurns(rows, 100).empty());
}

TEST(FullTurns, OfTooManyCombinationsThoseOfTheFirstJointsAreTried) {
  const std::array<double, 4> positions = {0.5, 0.5, 0.5, 0.5};
  const std::array<double, 4> lower = {-1e4, -1e4, -1e4, -1e4};
  const std::array<double, 4> upper = {1e4, 1e4, 1e4, 1e4};
  const std::array<std::int64_t, 4> turned = {0, 1, 2, 3};
  const std::vector<double> others = limitedTurns(
      {positions.data(), 1, 4, positions.data(), lower.data(), upper.data(), turned.data(), 4}, 2);
  EXPECT_EQ(others, (std::vector<double>{0.5 - kTurn, 0.5, 0.5, 0.5, 0.5 + kTurn, 0.5, 0.5, 0.5}));
}

TEST(FullTurns, TakesTheFirstOfEqualDistances) {
  const std::vector<double> distances = {3.0, 1.0, 2.0, 1.0};
  EXPECT_EQ(leastOf(distances, 3), (std::vector<std::int64_t>{1, 3, 2}));
  EXPECT_EQ(leastOf(distances, 9).size(), 4U);
}

}  // namespace
}  // namespace generative_ik::test

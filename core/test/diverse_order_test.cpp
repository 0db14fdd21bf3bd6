// The most diverse order against the definition.
#include "../src/select/diverse_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>

namespace generative_ik::test {
namespace {

constexpr std::int64_t kSize = 3;
// Two joints that turn and one that slides, of which 0.1 m count as much as 1 rad.
constexpr std::array<bool, kSize> kTurning = {true, false, true};
constexpr std::array<double, kSize> kUnit = {1.0, 0.1, 1.0};
constexpr std::array<double, kSize> kLower = {-3.0, -1.0, -3.0};
constexpr std::array<double, kSize> kUpper = {3.0, 1.0, 3.0};

std::vector<double> randomRows(std::int64_t count) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> anywhere(-1.0, 1.0);
  std::vector<double> rows;
  for (std::int64_t k = 0; k < count; ++k) {
    rows.insert(rows.end(), {3.0 * anywhere(random), anywhere(random), 3.0 * anywhere(random)});
  }
  return rows;
}

DiverseRows diverseRowsOf(const std::vector<double>& positions) {
  const auto count = static_cast<std::int64_t>(positions.size()) / kSize;
  return {positions.data(), count,           kSize,       kLower.data(),
          kUpper.data(),    kTurning.data(), kUnit.data()};
}

double distance(const double* a, const double* b) {
  const double slide = (a[1] - b[1]) / kUnit[1];
  return std::hypot(2.0 * std::sin((a[0] - b[0]) / 2.0), slide,
                    2.0 * std::sin((a[2] - b[2]) / 2.0));
}

double distanceFrom(const std::vector<double>& rows, const std::vector<std::int64_t>& taken,
                    std::int64_t other) {
  double nearest = 1e30;
  for (const std::int64_t k : taken) {
    nearest = std::min(nearest, distance(rows.data() + kSize * k, rows.data() + kSize * other));
  }
  return nearest;
}

std::vector<std::int64_t> orderOf(const std::vector<double>& rows, std::int64_t count,
                                  std::int64_t work = kOrderWork) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::vector<float> memory;
  diverseOrder(diverseRowsOf(rows), count, work, memory, order.data());
  return order;
}

TEST(DiverseOrder, TakesTheFurthestNext) {
  for (const std::int64_t count : {1, 2, 15, 16, 17, 70}) {
    const std::vector<double> rows = randomRows(count);
    const std::vector<std::int64_t> order = orderOf(rows, count);
    std::vector<std::int64_t> taken = {order[0]};
    for (std::size_t k = 1; k < order.size(); ++k) {
      double furthest = 0.0;
      for (std::int64_t other = 0; other < count; ++other) {
        furthest = std::max(furthest, distanceFrom(rows, taken, other));
      }
      EXPECT_NEAR(distanceFrom(rows, taken, order[k]), furthest, 1e-3);
      taken.push_back(order[k]);
    }
  }
}

TEST(DiverseOrder, BeginsFurthestFromTheLimits) {
  const std::vector<double> rows = {2.9, 0.0, 0.0, 0.1, 0.0, -0.2, 0.0, 0.9, 0.0};
  EXPECT_EQ(orderOf(rows, 1)[0], 1);
}

TEST(DiverseOrder, OfVeryManyOnlySomeAreRankedAndTheOthersFollow) {
  const std::vector<double> rows = randomRows(1000);
  std::vector<std::int64_t> order = orderOf(rows, 1000, 100'000);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.begin() + 20));
  std::sort(order.begin(), order.end());
  std::vector<std::int64_t> all(1000);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(order, all);
}

TEST(DiverseOrder, DuplicatesComeLast) {
  const std::vector<double> rows = {1.0, 0.5, 2.0, 1.0, 0.5, 2.0, 0.0, 0.0, 0.0};
  const std::vector<std::int64_t> order = orderOf(rows, 3);
  EXPECT_EQ(order[0], 2);
  EXPECT_EQ(order[1], 0);
  EXPECT_EQ(order[2], 1);
}

}  // namespace
}  // namespace generative_ik::test

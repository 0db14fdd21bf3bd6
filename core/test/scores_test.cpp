// Scores of configurations against answers worked out by hand.
#include "../src/select/scores.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace generative_ik {
namespace {

// Two links of 1 m in a plane, which turn about z.
struct TwoLinks {
  std::array<double, 18> rotations = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  std::array<double, 18> sine_part = {0, -1, 0, 1, 0, 0, 0, 0, 0, 0, -1, 0, 1, 0, 0, 0, 0, 0};
  std::array<double, 18> versine_part = {-1, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0, 0, 0, -1, 0, 0, 0, 0};
  std::array<double, 6> shifts = {0, 0, 0, 1, 0, 0};
  std::array<double, 6> axes = {0, 0, 1, 0, 0, 1};
  std::array<std::int64_t, 2> prismatic = {0, 0};
  std::array<std::int64_t, 2> variable = {0, 1};
  std::array<double, 2> multiplier = {1, 1};
  std::array<double, 2> offset = {0, 0};
  std::array<double, 16> tip = {1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

  [[nodiscard]] verify::RodriguesChain chain() const {
    return {2,           rotations.data(), sine_part.data(), versine_part.data(), shifts.data(),
            axes.data(), prismatic.data(), variable.data(),  multiplier.data(),   offset.data(),
            tip.data()};
  }
};

// The columns are (-s1 - s12, c1 + c12, 0, 0, 0, 1) and (-s12, c12, 0, 0, 0, 1).
double volumeByHand(double a, double b) {
  const std::array<double, 3> first = {-std::sin(a) - std::sin(a + b),
                                       std::cos(a) + std::cos(a + b), 1.0};
  const std::array<double, 3> second = {-std::sin(a + b), std::cos(a + b), 1.0};
  const double x = first[1] * second[2] - first[2] * second[1];
  const double y = first[2] * second[0] - first[0] * second[2];
  const double z = first[0] * second[1] - first[1] * second[0];
  return std::sqrt(x * x + y * y + z * z);
}

TEST(Scores, ManipulabilityIsTheVolumeOfTheColumns) {
  const TwoLinks arm;
  // More than a thread takes at a time.
  constexpr std::int64_t kCount = 3001;
  std::vector<double> positions;
  for (std::int64_t k = 0; k < kCount; ++k) {
    positions.push_back(0.01 * static_cast<double>(k) - 3.0);
    positions.push_back(0.003 * static_cast<double>(k) - 2.0);
  }
  std::vector<double> scores(kCount);
  manipulability(arm.chain(), {positions.data(), kCount, 2}, scores.data());
  for (std::size_t k = 0; k < scores.size(); ++k) {
    EXPECT_NEAR(scores[k], volumeByHand(positions[2 * k], positions[2 * k + 1]), 1e-13);
  }
}

TEST(Scores, ManipulabilityOfColumnsThatAreAlikeIsZero) {
  TwoLinks arm;
  arm.shifts[3] = 0.0;  // both joints turn about one axis
  const std::array<double, 2> q = {0.4, 0.9};
  double score = 1.0;
  manipulability(arm.chain(), {q.data(), 1, 2}, &score);
  EXPECT_NEAR(score, 0.0, 1e-15);
}

TEST(Scores, LimitMarginIsAShareOfTheRange) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const std::array<double, 4> lower = {-1.0, 0.0, -kNone, 2.0};
  const std::array<double, 4> upper = {3.0, 2.0, kNone, 2.0};
  const std::array<double, 12> positions = {1.0, 1.0, 9.0,  2.0, 2.0, 1.0,
                                            9.0, 2.0, -2.0, 0.5, 0.0, 2.0};
  std::array<double, 3> scores{};
  limitMargin({positions.data(), 3, 4}, lower.data(), upper.data(), scores.data());
  EXPECT_DOUBLE_EQ(scores[0], 0.5);
  EXPECT_DOUBLE_EQ(scores[1], 0.25);
  EXPECT_DOUBLE_EQ(scores[2], -0.25);
}

}  // namespace
}  // namespace generative_ik

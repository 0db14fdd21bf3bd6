// The number types that kernels are written for, against plain doubles.
#include "../src/simd/lanes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace generative_ik::simd {
namespace {

using Two = Lanes<2>;

Two two(double first, double second) {
  return Two(Two::Register{first, second});
}

void expectEqual(const Two& lanes, double first, double second) {
  EXPECT_EQ(lanes.value[0], first);
  EXPECT_EQ(lanes.value[1], second);
}

TEST(Lanes, ComputeLaneByLane) {
  const Two a = two(3.0, -0.5);
  const Two b = two(2.0, 4.0);
  expectEqual(a + b, 5.0, 3.5);
  expectEqual(a - b, 1.0, -4.5);
  expectEqual(a * b, 6.0, -2.0);
  expectEqual(a / b, 1.5, -0.125);
  expectEqual(-a, -3.0, 0.5);
  expectEqual(a * 2.0, 6.0, -1.0);
  Two sum = a;
  sum += b;
  sum -= 1.0;
  sum *= b;
  expectEqual(sum, 8.0, 10.0);
}

TEST(Lanes, SelectAndClampLaneByLane) {
  const Two a = two(3.0, -0.5);
  expectEqual(select(a < 1.0, Two(7.0), a), 3.0, 7.0);
  expectEqual(clamp(a, Two(0.0), Two(2.0)), 2.0, 0.0);
  EXPECT_EQ(clamp(0.25, -1.0, 1.0), 0.25);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(clamp(nan, -1.0, 1.0), -1.0);
  expectEqual(clamp(two(nan, 5.0), Two(-1.0), Two(1.0)), -1.0, 1.0);
}

TEST(Lanes, HalfAnglesAreThoseOfTheMathematicalLibrary) {
  std::mt19937 random(1);
  for (const double range : {1e-6, 1.0, 7.0, 1e4, 1e8}) {
    std::uniform_real_distribution<double> within(-range, range);
    for (int i = 0; i < 1000; ++i) {
      const double angle = within(random);
      double sine = 0.0;
      double cosine = 0.0;
      halfAngle(angle, sine, cosine);
      // The common sign does not matter.
      const double sign = std::cos(0.5 * angle) * cosine + std::sin(0.5 * angle) * sine;
      const double rounding = 4e-16 + 1e-16 * range;
      EXPECT_NEAR(std::abs(sign), 1.0, rounding);
      EXPECT_NEAR(sine, std::copysign(1.0, sign) * std::sin(0.5 * angle), rounding);
      Two sines = 0.0;
      Two cosines = 0.0;
      halfAngle(two(angle, -angle), sines, cosines);
      expectEqual(sines, sine, -sine);
      expectEqual(cosines, cosine, cosine);
    }
  }
}

}  // namespace
}  // namespace generative_ik::simd

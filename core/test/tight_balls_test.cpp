#include "../src/collision/tight_balls.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace generative_ik::collision {
namespace {

std::vector<double> directions(int count) {
  std::mt19937 random(7);  // NOLINT(*-msc51-cpp): the same in every run
  std::normal_distribution<double> number;
  std::vector<double> found;
  for (int i = 0; i < count; ++i) {
    std::array<double, 3> d = {number(random), number(random), number(random)};
    const double length = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    for (const double part : d) {
      found.push_back(part / length);
    }
  }
  return found;
}

double distance(const double* a, const double* b) {
  return std::sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                   (a[2] - b[2]) * (a[2] - b[2]));
}

class TightBalls : public testing::Test {
 protected:
  [[nodiscard]] std::vector<double> around(const std::vector<double>& points,
                                           const std::vector<double>& reach,
                                           const std::vector<std::int64_t>& first,
                                           const std::vector<DepthGrid>& grids) const {
    const auto groups = static_cast<std::int64_t>(first.size()) - 1;
    std::vector<double> balls(4 * static_cast<std::size_t>(groups));
    tightBalls({points.data(), reach.data(), first.data(), groups}, grids,
               {hull_.data(), 48, steps_.data(), 14, 24}, balls.data());
    return balls;
  }

 private:
  std::vector<double> hull_ = directions(48);
  std::vector<double> steps_ = directions(14);
};

TEST_F(TightBalls, ContainTheirGroupsAndAreNearlyTheSmallest) {
  // The corners of a cube, and two balls along a line.
  std::vector<double> points;
  for (int k = 0; k < 8; ++k) {
    points.insert(points.end(), {k % 2 + 5.0, k / 2 % 2 - 3.0, k / 4 + 0.0});
  }
  points.insert(points.end(), {0.0, 0.0, 0.0, 1.0, 0.0, 0.0});
  std::vector<double> reach(8, 0.0);
  reach.insert(reach.end(), {0.1, 0.3});
  const std::vector<double> balls = around(points, reach, {0, 8, 10}, {});
  for (std::size_t i = 0; i < 10; ++i) {
    const double* ball = &balls[i < 8 ? 0 : 4];
    EXPECT_LE(distance(&points[3 * i], ball) + reach[i], ball[3]);
  }
  EXPECT_NEAR(balls[3], std::sqrt(3.0) / 2.0, 1e-3);
  EXPECT_NEAR(balls[7], (0.1 + 1.0 + 0.3) / 2.0, 0.02);
}

TEST_F(TightBalls, OfAFlatSurfaceLieDeepInTheSolid) {
  // A block from z = -1 down to -3, with a patch of 0.4 by 0.4 on top.
  constexpr std::int64_t kCells = 41;
  std::vector<double> depth;
  for (std::int64_t i = 0; i < kCells * kCells * kCells; ++i) {
    const double z = -3.0 + 0.05 * static_cast<double>(i % kCells);
    depth.push_back(std::min(-1.0 - z, z + 3.0));
  }
  const DepthGrid grid = {{-1.0, -1.0, -3.0}, 0.05, {kCells, kCells, kCells}, depth.data()};
  const std::vector<double> patch = {-0.2, -0.2, -1.0, 0.2, -0.2, -1.0,
                                     -0.2, 0.2,  -1.0, 0.2, 0.2,  -1.0};
  const std::vector<double> reach(4, 0.0);
  const std::vector<double> smallest = around(patch, reach, {0, 4}, {});
  const std::vector<double> deep = around(patch, reach, {0, 4}, {grid});
  const auto above = [](const std::vector<double>& ball) { return ball[2] + ball[3] + 1.0; };
  EXPECT_GT(above(smallest), 0.25);
  EXPECT_LT(above(deep), 0.1);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_LE(distance(&patch[3 * i], deep.data()), deep[3]);
  }
}

TEST(DepthGrid, IsLinearBetweenCentresAndConstantBeyond) {
  std::vector<double> depth;
  for (int i = 0; i < 24; ++i) {
    depth.push_back(i / 12 + 10.0 * (i / 4 % 3) - 2.0 * (i % 4));
  }
  const DepthGrid grid = {{1.0, 2.0, 3.0}, 0.5, {2, 3, 4}, depth.data()};
  const auto at = [&grid](double x, double y, double z) {
    const std::array<double, 3> point = {1.0 + 0.5 * x, 2.0 + 0.5 * y, 3.0 + 0.5 * z};
    return grid.at(point.data());
  };
  EXPECT_NEAR(at(0.25, 1.5, 2.75), 0.25 + 15.0 - 5.5, 1e-12);
  EXPECT_NEAR(at(-4.0, 7.0, 1.0), 0.0 + 20.0 - 2.0, 1e-12);
  EXPECT_NEAR(at(9.0, 0.0, 3.0), 1.0 - 6.0, 1e-12);
  EXPECT_EQ(at(std::nan(""), 0.0, 0.0), depth[0]);
}

TEST(BallsAt, AreThoseThatPointsAreDeepestIn) {
  const std::vector<double> points = directions(3000);
  std::vector<double> balls;
  for (std::size_t k = 0; k < 40; ++k) {
    const double* middle = &points[30 * k];
    balls.insert(balls.end(), {middle[0], middle[1], middle[2], 0.01 * static_cast<double>(k)});
  }
  std::vector<std::int64_t> found(3000);
  ballsAt(points.data(), 3000, balls.data(), 40, found.data());
  const auto outside = [&](std::size_t i, std::size_t k) {
    return distance(&points[3 * i], &balls[4 * k]) - balls[4 * k + 3];
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::size_t k = 0; k < 40; ++k) {
      EXPECT_LE(outside(i, static_cast<std::size_t>(found[i])), outside(i, k) + 1e-12);
    }
  }
}

}  // namespace
}  // namespace generative_ik::collision

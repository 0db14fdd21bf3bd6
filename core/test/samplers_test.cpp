// Stored seeds against answers worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "../src/samplers/capability_map.hpp"
#include "../src/samplers/stored_postures.hpp"
#include "../src/samplers/tip_places.hpp"
#include "../src/simd/constants.hpp"

namespace generative_ik::samplers {
namespace {

constexpr Ends kRevolute = {EndKind::kRevolute, 0, 1.0, EndKind::kRevolute, 1, 1.0};

// Rz(azimuth) Trans(radius, 0, height) Rz(spin): the tip's axis stays upright.
std::array<double, 16> poseOf(double azimuth, double radius, double height, double spin) {
  const double c = std::cos(azimuth + spin);
  const double s = std::sin(azimuth + spin);
  return {c, -s, 0, radius * std::cos(azimuth),
          s, c,  0, radius * std::sin(azimuth),
          0, 0,  1, height,
          0, 0,  0, 1};
}

TEST(Ends, ReduceAPoseToFourCoordinates) {
  ASSERT_EQ(kRevolute.numCoordinates(), 4);
  std::array<double, kTurnedNumbers> turned{};
  std::array<double, kMostCoordinates> left{};
  const auto pose = poseOf(0.7, 0.5, 0.2, 0.3);
  EXPECT_NEAR(reducePose(kRevolute, pose.data(), turned.data(), left.data()), 0.7, 1e-15);
  const std::array<double, 4> expected = {0.5, 0.2, 1.0, 0.0};
  for (std::size_t d = 0; d < expected.size(); ++d) {
    EXPECT_NEAR(left[d], expected[d], 1e-15);
  }
  const auto other = poseOf(0.0, 0.5, 0.2, 1.0);
  EXPECT_NEAR(spinBetween(turned.data(), other.data()), 0.7, 1e-15);
}

TEST(Ends, LeaveWhatTheyDoNotMove) {
  const Ends fixed = {EndKind::kFixed, 0, 1.0, EndKind::kFixed, 1, 1.0};
  ASSERT_EQ(fixed.numCoordinates(), 6);
  std::array<double, kTurnedNumbers> turned{};
  std::array<double, kMostCoordinates> left{};
  const auto pose = poseOf(0.7, 0.5, 0.2, 0.3);
  EXPECT_EQ(reducePose(fixed, pose.data(), turned.data(), left.data()), 0.0);
  const std::array<double, 6> expected = {
      0.5 * std::cos(0.7), 0.5 * std::sin(0.7), 0.2, 1.0, 0.0, 1.0};
  for (std::size_t d = 0; d < expected.size(); ++d) {
    EXPECT_NEAR(left[d], expected[d], 1e-15);
  }
}

// A map of two cells along the radius, with two configurations in each.
struct TwoCells {
  std::array<double, 4> origin = {0.0, -1.0, -1.0, -kPi};
  std::array<double, 4> per_unit = {2.0, 0.4, 0.4, 0.1};
  std::array<std::int64_t, 4> bins = {2, 1, 1, 1};
  std::array<bool, 4> circles = {false, false, false, true};
  std::array<std::int64_t, 3> starts = {0, 2, 4};
  std::array<double, 8> positions = {0.1, 0.0, 0.2, 0.0, 0.3, 0.0, 2.9, 0.0};
  std::vector<double> poses;
  std::array<std::int64_t, 8> offsets = {0, 0, 0, 0, -1, 0, 0, 0};

  TwoCells() {
    for (const double radius : {0.2, 0.3, 0.7, 0.8}) {
      const auto pose = poseOf(0.0, radius, 0.0, 0.0);
      poses.insert(poses.end(), pose.begin(), pose.begin() + kTurnedNumbers);
    }
  }

  [[nodiscard]] CapabilityMap map() const {
    return {kRevolute,
            2,
            4,
            4,
            origin.data(),
            per_unit.data(),
            bins.data(),
            circles.data(),
            starts.data(),
            positions.data(),
            poses.data(),
            offsets.data(),
            2};
  }
};

TEST(CapabilityMap, FitsTheOuterJointsOfTheConfigurationsInACell) {
  const TwoCells cells;
  const auto target = poseOf(0.4, 0.75, 0.0, 0.6);
  const std::array<double, 4> shift{};
  const std::array<double, 2> lower = {-2.0, -kPi};
  const std::array<double, 2> upper = {3.0, kPi};
  std::array<double, 8> seeds{};
  std::int64_t found = 0;
  lookUp(cells.map(), {target.data(), 1, shift.data(), 0, 4, lower.data(), upper.data()},
         seeds.data(), &found);
  // The last of its own cell would have to turn to 3.3 rad, or -2.98, beyond the limits.
  ASSERT_EQ(found, 3);
  const std::array<double, 6> expected = {0.7, 0.6, 0.5, 0.6, 0.6, 0.6};
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_NEAR(seeds[k], expected[k], 1e-15);
  }
  lookUp(cells.map(), {target.data(), 1, shift.data(), 2, 4, lower.data(), upper.data()},
         seeds.data(), &found);
  ASSERT_EQ(found, 1);
  EXPECT_NEAR(seeds[0], 0.6, 1e-15);
}

TEST(CapabilityMap, HasNothingFarOutside) {
  const TwoCells cells;
  const auto target = poseOf(0.4, 9.0, 0.0, 0.6);
  const std::array<double, 4> shift{};
  const std::array<double, 2> bounds = {-9.0, 9.0};
  std::array<double, 8> seeds{};
  std::int64_t found = 7;
  lookUp(cells.map(), {target.data(), 1, shift.data(), 0, 4, bounds.data(), bounds.data()},
         seeds.data(), &found);
  EXPECT_EQ(found, 0);
}

TEST(TipPlaces, GatherTurnsPointsBack) {
  const std::array<double, 12> mean = {1, 0, 0, 0, 2, 0, 0, 0, 3, -1, -2, -3};
  // Turned about z by a right angle, and moved.
  std::array<double, 12> points{};
  for (std::size_t k = 0; k < 12; k += 3) {
    points[k] = 5.0 - mean[k + 1];
    points[k + 1] = 6.0 + mean[k];
    points[k + 2] = 7.0 + mean[k + 2];
  }
  std::array<double, 9> turn{};
  std::array<double, 3> centre{};
  gatherPoints(points.data(), 1, 4, mean.data(), turn.data(), centre.data());
  for (std::size_t k = 0; k < points.size(); ++k) {
    EXPECT_NEAR(points[k], mean[k], 1e-14);
  }
  const std::array<double, 9> expected = {0, 1, 0, -1, 0, 0, 0, 0, 1};
  for (std::size_t k = 0; k < turn.size(); ++k) {
    EXPECT_NEAR(turn[k], expected[k], 1e-14);
  }
  EXPECT_NEAR(centre[0], 5.0, 1e-14);
  EXPECT_NEAR(centre[2], 7.0, 1e-14);
}

// Poses at x = 0, 1, ... 99 m, not in this order.
std::vector<PosePoints> posesOnALine() {
  std::vector<PosePoints> poses;
  for (int k = 0; k < 100; ++k) {
    const std::array<double, 12> pose = {
        1, 0, 0, (37.0 * k) - (100 * (37 * k / 100)), 0, 1, 0, 0, 0, 0, 1, 0};
    poses.push_back(posePoints(Pose::of(pose.data()), 0.5F));
  }
  return poses;
}

TEST(PoseTree, FindsEachOfItsPoses) {
  const std::vector<PosePoints> poses = posesOnALine();
  const PoseTree tree(poses);
  for (std::size_t k = 0; k < poses.size(); ++k) {
    const PoseTree::Found found = tree.leafOf(poses[k]).nearest(poses[k]);
    EXPECT_EQ(found.row, k);
    EXPECT_EQ(found.squared, 0.0F);
  }
}

// Two postures of a floating base that carries a rail along x, 0.2 and 0.9 m out, the seventh
// variable. Points on their tips are about the tips, and were not turned.
StoredPostures slidesOnABase() {
  StoredPostures stored;
  stored.positions = {0, 0, 0, 0, 0, 0, 0.2, 0, 0, 0, 0, 0, 0, 0.9};
  stored.num_variables = 7;
  stored.base = {0, 1, 2, 3, 4, 5};
  stored.lower.assign(7, -9.0);
  stored.upper.assign(7, 9.0);
  stored.length = 1.0;
  std::vector<PosePoints> tips;
  for (const double place : {0.2, 0.9}) {
    const Pose tip = {Eigen::Matrix3f::Identity(), {static_cast<float>(place), 0, 0}};
    tips.push_back(posePoints(tip, stored.length));
    stored.turns.emplace_back(Eigen::Matrix3d::Identity());
    stored.centres.emplace_back(place, 0, 0);
  }
  const std::vector<Pose> roots(2, {Eigen::Matrix3f::Identity(), Eigen::Vector3f::Zero()});
  stored.limbs.push_back({0, {6}, roots, PoseTree(tips)});
  return stored;
}

// A tip that is 5, 6, 7 m out and turned by a right angle about z.
constexpr std::array<double, 16> kGoal = {0, -1, 0, 5, 1, 0, 0, 6, 0, 0, 1, 7, 0, 0, 0, 1};

TipGoals goalOfATip() {
  Eigen::Matrix3d back;
  back << 0, 1, 0, -1, 0, 0, 0, 0, 1;
  return {kGoal.data(), back, {5, 6, 7}};
}

TEST(StoredPostures, LimbsComeFromThoseThatBringTheTipNearest) {
  StoredPostures stored = slidesOnABase();
  stored.upper[1] = 5.2;  // With 0.2 m of slide the base would have to be at 5.8.
  const std::array<std::int64_t, 2> rows = {0, 1};
  std::array<double, 14> seeds{};
  fitPostures(stored, goalOfATip(), {rows.data(), 2, 0, 2}, seeds.data());
  // The second is at its goal, and comes first; the first has the second's limb at its limit.
  EXPECT_NEAR(seeds[1], 5.1, 1e-14);
  EXPECT_EQ(seeds[6], 0.9);
  EXPECT_NEAR(seeds[8], 5.2, 1e-14);
  EXPECT_EQ(seeds[13], 0.9);
}

TEST(StoredPostures, TheBaseIsTurnedNoFurtherThanItsLimits) {
  StoredPostures stored = slidesOnABase();
  stored.upper[3] = 0.0;
  const std::array<std::int64_t, 1> rows = {0};
  std::array<double, 7> seed{};
  fitPostures(stored, goalOfATip(), {rows.data(), 1, 0, 1}, seed.data());
  EXPECT_EQ(seed[3], 0.0);
  // Not turned, it is 0.2 m along y from the goal, at whose x it stands: the short slide is
  // nearer.
  EXPECT_EQ(seed[6], 0.2);
}

TEST(StoredPostures, OnlyBlocksAreSortedAndTheirFirstOnesLeftOut) {
  StoredPostures stored = slidesOnABase();
  stored.upper[1] = 5.2;
  const std::array<std::int64_t, 4> rows = {0, 1, 0, 1};
  std::array<double, 28> whole{};
  std::array<double, 14> part{};
  fitPostures(stored, goalOfATip(), {rows.data(), 2, 0, 4}, whole.data());
  fitPostures(stored, goalOfATip(), {rows.data(), 2, 1, 2}, part.data());
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 7));
  EXPECT_NEAR(part[1], 5.2, 1e-14);
  EXPECT_NEAR(part[8], 5.1, 1e-14);
}

}  // namespace
}  // namespace generative_ik::samplers

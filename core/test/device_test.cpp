// The kernels of a search, thread by thread on the CPU, and what launches them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "../cuda/random.hpp"
#include "../src/device/device_search.hpp"
#include "../src/device/emulated_device.hpp"
#include "../src/solver/packed_chain.hpp"
#include "../src/verify/placer.hpp"
#include "device_problem.hpp"
#include "robots.hpp"

namespace generative_ik::device {
namespace {

using test::DeviceProblem;
using test::Found;
using test::solveOn;

TEST(Philox, GivesTheNumbersThatItsAuthorsPublish) {
  // Random123's known answers: kat_vectors, philox4x32 with ten rounds.
  const cuda::Words zero = cuda::philox({0, 0, 0, 0}, 0);
  EXPECT_EQ(zero.a, 0x6627e8d5U);
  EXPECT_EQ(zero.b, 0xe169c58dU);
  EXPECT_EQ(zero.c, 0xbc57ac4cU);
  EXPECT_EQ(zero.d, 0x9b00dbd8U);
  const cuda::Words pi =
      cuda::philox({0x243f6a88U, 0x85a308d3U, 0x13198a2eU, 0x03707344U}, 0x299f31d0a4093822U);
  EXPECT_EQ(pi.a, 0xd16cfe09U);
  EXPECT_EQ(pi.b, 0x94fdccebU);
  EXPECT_EQ(pi.c, 0x5001e420U);
  EXPECT_EQ(pi.d, 0x24126ea1U);
  EXPECT_EQ(cuda::unitOf(0), 0.0F);
  EXPECT_LT(cuda::unitOf(0xFFFFFFFFU), 1.0F);
}

// What solve() promises of every solution: it is exact by independent forward kinematics, inside
// the limits, and no two of a target are the same. Returns how many there are.
std::int64_t checkAll(const DeviceProblem& problem, const Found& found, std::int64_t wanted) {
  const ProblemNumbers numbers = problem.numbers();
  const std::int64_t n = numbers.chain.num_variables;
  std::int64_t all = 0;
  for (std::size_t t = 0; t < found.counts.size(); ++t) {
    EXPECT_LE(found.counts[t], wanted);
    for (std::int64_t k = 0; k < found.counts[t]; ++k) {
      const std::int64_t row = static_cast<std::int64_t>(t) * wanted + k;
      const double* q = found.positions.data() + n * row;
      const verify::PoseGap gap = verify::gapOf(numbers.read, q, problem.poses().data() + 16 * t);
      EXPECT_LE(gap.distance, numbers.position_tolerance);
      EXPECT_LE(gap.angle, numbers.orientation_tolerance);
      EXPECT_NEAR(found.errors[static_cast<std::size_t>(2 * row)], gap.distance, 1e-12);
      EXPECT_NEAR(found.errors[static_cast<std::size_t>(2 * row + 1)], gap.angle, 1e-7);
      for (std::int64_t v = 0; v < n; ++v) {
        EXPECT_GE(q[v], numbers.lower[v]);
        EXPECT_LE(q[v], numbers.upper[v]);
      }
      for (std::int64_t other = 0; other < k; ++other) {
        double apart = 0.0;
        for (std::int64_t v = 0; v < n; ++v) {
          double gap_of_joint = std::abs(q[v] - q[v - n * (k - other)]);
          if (numbers.circular[v] != 0) {
            gap_of_joint = std::abs(std::remainder(gap_of_joint, 2.0 * M_PI));
          }
          apart = std::max(apart, gap_of_joint);
        }
        EXPECT_GE(apart, numbers.distance);
      }
      ++all;
    }
  }
  return all;
}

TEST(DeviceSearch, SolvesWithCorrectSolutionsInsideTheLimits) {
  for (const Chain& chain : {test::panda(), test::ur10(), test::railArm(), test::bentArm()}) {
    const DeviceProblem problem(chain, 100);
    DeviceSearch search(std::make_unique<EmulatedDevice>());
    const Found found = solveOn(search, problem, 1);
    // The poses are those of configurations, so that each has a solution.
    EXPECT_GE(checkAll(problem, found, 1), 97);
    EXPECT_GE(found.work.rounds, 1);
  }
}

TEST(DeviceSearch, ClosedFormsAnswerAtOnce) {
  DeviceProblem problem(test::ur10(), 300);
  problem.useClosedForm();
  problem.moveAway(7);
  DeviceSearch search(std::make_unique<EmulatedDevice>());
  const Found found = solveOn(search, problem, 8);
  EXPECT_EQ(found.work.rounds, 1);
  EXPECT_EQ(found.work.seeds, 0);
  EXPECT_EQ(found.counts[7], 0);
  EXPECT_GE(checkAll(problem, found, 8), 2 * 299);
  // One of them, where one is wanted.
  const Found one = solveOn(search, problem, 1);
  EXPECT_GE(checkAll(problem, one, 1), 295) << "at singular poses branches are not exact";
}

TEST(DeviceSearch, KeepsWhatSpheresProveToBeFree) {
  DeviceProblem problem(test::arm(), 200);
  const CollisionWorld world(test::armWithBall());
  problem.avoid(world);
  DeviceSearch search(std::make_unique<EmulatedDevice>());
  const Found found = solveOn(search, problem, 1);
  checkAll(problem, found, 1);
  // The arm has one joint: a pose has one solution, which is free or not.
  CollisionMemory memory;
  std::int64_t blocked = 0;
  for (std::size_t t = 0; t < found.counts.size(); ++t) {
    const double* q = problem.configurations().data() + t;
    const bool is_free = world.check(q, CollisionWorld::kSure, memory) == Verdict::kFree;
    EXPECT_EQ(found.counts[t], is_free ? 1 : 0);
    blocked += is_free ? 0 : 1;
  }
  EXPECT_GE(blocked, 10);
  EXPECT_LE(blocked, 100);
}

TEST(DeviceSearch, TheSameCallGivesTheSameSolutions) {
  const DeviceProblem problem(test::panda(), 50);
  DeviceSearch one(std::make_unique<EmulatedDevice>());
  DeviceSearch other(std::make_unique<EmulatedDevice>());
  const Found first = solveOn(one, problem, 3, 7);
  EXPECT_EQ(first.positions, solveOn(one, problem, 3, 7).positions);
  EXPECT_EQ(first.positions, solveOn(other, problem, 3, 7).positions);
  EXPECT_NE(first.positions, solveOn(one, problem, 3, 8).positions);
}

TEST(DeviceSearch, PiecesOfACallGiveWhatAllOfItGives) {
  const DeviceProblem problem(test::panda(), 60);
  SearchSizes sizes;
  sizes.threads = 1;  // a seed a round, however many targets there are
  DeviceSearch whole(std::make_unique<EmulatedDevice>(), sizes);
  sizes.most_targets = 7;
  DeviceSearch pieces(std::make_unique<EmulatedDevice>(), sizes);
  EXPECT_EQ(solveOn(whole, problem, 1).positions, solveOn(pieces, problem, 1).positions);
}

TEST(DeviceSearch, TakesSmallerPiecesWhereMemoryIsShort) {
  const DeviceProblem problem(test::panda(), 3000);
  SearchSizes sizes;
  sizes.threads = 1024;
  sizes.enough_for_one = 4;  // what is left does not matter here
  DeviceSearch search(std::make_unique<EmulatedDevice>(500'000), sizes);
  const Found found = solveOn(search, problem, 1);
  EXPECT_GE(checkAll(problem, found, 1), 2000);
  DeviceSearch none(std::make_unique<EmulatedDevice>(50'000), sizes);
  EXPECT_THROW(solveOn(none, problem, 1), OutOfMemoryError);
}

TEST(DeviceSearch, ArraysOfTheDeviceStayThere) {
  DeviceProblem problem(test::panda(), 50);
  problem.moveAway(20);
  SearchSizes sizes;
  sizes.most_targets = 16;
  DeviceSearch search(std::make_unique<EmulatedDevice>(), sizes);
  const Found expected = solveOn(search, problem, 2);
  std::vector<double> positions(expected.positions.size());
  std::vector<std::int32_t> counts(50, -1);
  const SearchWork work = search.solve(
      problem.numbers(),
      ResidentCall{problem.poses().data(), 50, 2, 0, positions.data(), counts.data()}, {});
  EXPECT_EQ(work.seeds, expected.work.seeds);
  for (std::size_t t = 0; t < counts.size(); ++t) {
    ASSERT_EQ(counts[t], expected.counts[t]);
    for (std::size_t k = 14 * t; k < 14 * t + 7 * static_cast<std::size_t>(counts[t]); ++k) {
      EXPECT_EQ(positions[k], expected.positions[k]);
    }
  }
  EXPECT_EQ(counts[20], 0);
}

TEST(DeviceSearch, PlacesTipsAsTheVerifierDoes) {
  const DeviceProblem problem(test::panda(), 40);
  SearchSizes sizes;
  sizes.most_targets = 16;
  DeviceSearch search(std::make_unique<EmulatedDevice>(), sizes);
  std::vector<double> poses(problem.poses().size());
  search.placeTips(problem.numbers().read, 7, problem.configurations().data(), 40, poses.data());
  for (std::size_t k = 0; k < poses.size(); ++k) {
    EXPECT_NEAR(poses[k], problem.poses()[k], 1e-12);
  }
}

}  // namespace
}  // namespace generative_ik::device

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <new>
#include <random>
#include <vector>

#include "../src/search/search_memory.hpp"

namespace generative_ik::search {
namespace {

constexpr std::int64_t kJoints = 7;
constexpr std::int64_t kCapacity = 300;
constexpr double kDistance = 0.05;
constexpr double kFullTurn = 6.283185307179586;

using Configuration = std::array<double, kJoints>;

// A pool of one target; the first joint is circular.
class OnePool {
 public:
  explicit OnePool(std::int64_t buckets) : heads_(static_cast<std::size_t>(buckets), -1) {
    const double around = std::floor(kFullTurn / (8.0 * kDistance));
    grid_floats_ = {kDistance, around / kFullTurn};
    grid_floats_.resize(7, 1.0 / (8.0 * kDistance));
    grid_ints_ = {0, 1, 2, 3, 4, 5, static_cast<std::int64_t>(around), 0, 0, 0, 0, 0, 1};
    grid_ints_.resize(12 + kJoints, 0);
    pool = {Grid::of(grid_floats_.data(), grid_ints_.data()),
            kJoints,
            kCapacity,
            buckets,
            positions_.data(),
            errors_.data(),
            visits_.data(),
            &count_,
            heads_.data(),
            before_.data()};
  }

  Pool pool{};  // NOLINT(*-non-private-member-variables-in-classes)

 private:
  std::vector<double> grid_floats_;
  std::vector<std::int64_t> grid_ints_;
  std::vector<double> positions_ = std::vector<double>(kCapacity * kJoints);
  std::vector<SolutionNotes> errors_ = std::vector<SolutionNotes>(kCapacity);
  std::vector<std::int64_t> visits_ = std::vector<std::int64_t>(kCapacity);
  std::vector<std::int32_t> heads_;
  std::vector<std::int32_t> before_ = std::vector<std::int32_t>(kCapacity);
  std::int64_t count_ = 0;
};

bool same(const Configuration& a, const double* b) {
  for (std::size_t v = 0; v < kJoints; ++v) {
    double gap = std::abs(a.at(v) - b[v]);
    if (v == 0) {
      gap = std::min(gap, std::abs(gap - kFullTurn));
    }
    if (gap >= kDistance) {
      return false;
    }
  }
  return true;
}

// What all solutions one by one would tell.
bool isKnown(const Pool& pool, const Configuration& q) {
  for (std::int64_t k = 0; k < pool.counts[0]; ++k) {
    if (same(q, pool.position(0, k))) {
      return true;
    }
  }
  return false;
}

class Pools : public testing::TestWithParam<std::int64_t> {};

TEST_P(Pools, FindWhatIsTheSameAsOneByOne) {
  OnePool one(GetParam());
  std::mt19937 random(5);
  std::uniform_real_distribution<double> anywhere(-M_PI, M_PI);
  std::uniform_real_distribution<double> nearby(-1.2 * kDistance, 1.2 * kDistance);
  int known = 0;
  for (int i = 0; i < 4000; ++i) {
    Configuration q{};
    const std::int64_t count = one.pool.counts[0];
    const double* base = one.pool.position(0, count > 0 ? i % count : 0);
    for (std::size_t v = 0; v < kJoints; ++v) {
      q.at(v) = i % 4 == 0 ? anywhere(random) : base[v] + nearby(random);
    }
    const std::int64_t found = findKnown(one.pool, 0, q.data());
    ASSERT_EQ(found >= 0, isKnown(one.pool, q));
    known += found >= 0 ? 1 : 0;
    if (found < 0 && count < kCapacity) {
      EXPECT_EQ(insert(one.pool, 0, q.data()), count);
    } else if (found < 0) {
      // Others make room; they are not found in their old place any more.
      move(one.pool, 0, i % kCapacity, q.data());
      EXPECT_EQ(findKnown(one.pool, 0, q.data()), i % kCapacity);
    }
  }
  EXPECT_GT(known, 300);
}

INSTANTIATE_TEST_SUITE_P(SmallAndLarge, Pools, testing::Values(64, 8192));

TEST(Pool, OfTwoTheNearerToTheReferenceIsKept) {
  OnePool one(64);
  const Configuration reference{};
  Configuration weights{};
  weights.fill(1.0);
  const Reference from = {reference.data(), weights.data()};
  Configuration q{};
  q[1] = 0.04;
  insert(one.pool, 0, q.data());
  q[1] = 0.06;
  EXPECT_EQ(findPrevailing(one.pool, 0, q.data(), from).index, 0);
  q[1] = 0.02;
  const Known nearer = findPrevailing(one.pool, 0, q.data(), from);
  EXPECT_EQ(nearer.index, -1);
  EXPECT_EQ(nearer.other, 0);
  // Hardly a difference: the same solution was found again.
  q[1] = 0.04 - 0.05 * kDistance;
  EXPECT_EQ(findPrevailing(one.pool, 0, q.data(), from).index, 0);
  q[1] = 0.2;
  EXPECT_EQ(findPrevailing(one.pool, 0, q.data(), from).other, -1);
}

TEST(Pool, ConfigurationsThatAreNoNumbersAreNotFound) {
  OnePool one(64);
  Configuration q{};
  insert(one.pool, 0, q.data());
  q[0] = std::nan("");
  q[1] = 1e300;
  EXPECT_EQ(findKnown(one.pool, 0, q.data()), -1);
}

TEST(SearchMemory, WhatThereIsStaysWhenItGrows) {
  const OnePool one(1);
  const Grid& grid = one.pool.grid;
  Configuration q{};
  SearchMemory memory({1, kJoints, 2, 2, 3}, 16, q.data());
  EXPECT_EQ(memory.count(0), 0);
  EXPECT_EQ(memory.target(0).restarts_left, 16);
  for (const double first : {0.5, 1.5}) {
    q[0] = first;
    insert(memory.pool(grid), 0, q.data());
  }
  search::Run run{};
  memory.arrays({}, grid, run).queue.at(0, 1) = {1, 0};
  memory.target(0).queue_end = 2;
  memory.grow({1, kJoints, 5000, 5000, 1}, grid);
  const SearchArrays arrays = memory.arrays({}, grid, run);
  EXPECT_EQ(memory.count(0), 2);
  EXPECT_EQ(findKnown(arrays.pool, 0, q.data()), 1);
  EXPECT_TRUE(isInBuckets(arrays.pool, 0));
  EXPECT_EQ(arrays.queue.size, 3);
  EXPECT_EQ(arrays.queue.at(0, 1).base, 1);
  EXPECT_EQ(memory.target(0).restarts_left, 16);
}

TEST(SearchMemory, IsUsedAgainIfItIsMuch) {
  const Configuration q{};
  const Room much = {1000, kJoints, 10, 10, 0};
  const Target* place = SearchMemory(much, 0, q.data()).targets();
  const SearchMemory again(much, 1, q.data());
  EXPECT_EQ(again.targets(), place);
  EXPECT_EQ(again.target(999).restarts_left, 1);
  EXPECT_NE(SearchMemory(much, 0, q.data()).targets(), place);
  EXPECT_THROW(SearchMemory({1, kJoints, 1L << 60, 1, 0}, 0, q.data()), std::bad_alloc);
}

}  // namespace
}  // namespace generative_ik::search

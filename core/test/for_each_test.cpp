// Work shared by the library's threads.
#include "../src/parallel/for_each.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace generative_ik::parallel {
namespace {

TEST(ForEach, TakesEachPieceOnce) {
  for (const std::int64_t count : {0, 1, 7, 1000}) {
    std::vector<std::atomic<int>> taken(static_cast<std::size_t>(count));
    forEach(count, [&](std::int64_t piece) { ++taken[static_cast<std::size_t>(piece)]; }, {});
    for (const std::atomic<int>& times : taken) {
      EXPECT_EQ(times, 1);
    }
  }
}

TEST(ForEach, MayBeCalledByManyThreadsAtATime) {
  std::atomic<int> taken{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&taken] {
      for (int k = 0; k < 50; ++k) {
        forEach(20, [&taken](std::int64_t /*piece*/) { ++taken; }, {});
      }
    });
  }
  for (std::thread& caller : callers) {
    caller.join();
  }
  EXPECT_EQ(taken, 4 * 50 * 20);
}

TEST(ForEach, BeginsNothingAfterTheDeadline) {
  StopWhen stop;
  stop.deadline = std::chrono::steady_clock::now();
  int taken = 0;
  forEach(
      1, [&taken](std::int64_t /*piece*/) { ++taken; }, stop);
  EXPECT_EQ(taken, 0);
}

TEST(ForEach, EndsWhenItIsInterrupted) {
  StopWhen stop;
  stop.interrupted = [] { return true; };
  std::atomic<int> taken{0};
  const auto work = [&taken](std::int64_t /*piece*/) {
    ++taken;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  };
  forEach(100'000, work, stop);
  EXPECT_LT(taken, 10'000);
}

TEST(ForEach, RethrowsWhatWorkThrows) {
  const auto work = [](std::int64_t piece) {
    if (piece == 3) {
      throw std::runtime_error("three");
    }
  };
  EXPECT_THROW(forEach(100, work, {}), std::runtime_error);
}

}  // namespace
}  // namespace generative_ik::parallel

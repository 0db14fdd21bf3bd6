// Work shared by the library's threads.
#include "../src/parallel/for_each.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <stdexcept>
#include <string>
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

TEST(ForEach, LeavesOffLongPiecesWhenItIsInterrupted) {
  StopWhen stop;
  const auto begin = Clock::now();
  stop.interrupted = [begin] { return Clock::now() - begin > std::chrono::milliseconds(50); };
  const auto work = [](std::int64_t /*piece*/, Checkpoint& checkpoint) {
    while (!checkpoint.isOver()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  forEach(4, work, stop);
  EXPECT_GE(Clock::now() - begin, std::chrono::milliseconds(50));
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(5));
}

TEST(ForEach, LeavesOffLongPiecesAtTheDeadline) {
  const StopWhen stop = {after(0.03), {}};
  const auto work = [](std::int64_t /*piece*/, Checkpoint& checkpoint) {
    while (!checkpoint.isOver()) {
    }
  };
  forEach(4, work, stop);
  EXPECT_GE(Clock::now(), stop.deadline);
  EXPECT_LT(Clock::now(), stop.deadline + std::chrono::seconds(5));
}

TEST(ForEach, AsksForInterruptsWhileItWaitsForOthers) {
  if (usableCores() < 2) {
    GTEST_SKIP() << "one core";
  }
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> helped{false};
  StopWhen stop;
  stop.interrupted = [] { return true; };
  const auto work = [&](std::int64_t piece, Checkpoint& checkpoint) {
    if (std::this_thread::get_id() == caller) {
      // Until another thread has taken a piece.
      while (piece == 0 && !helped) {
        std::this_thread::yield();
      }
      return;
    }
    helped = true;
    while (!checkpoint.isOver()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  const auto begin = Clock::now();
  forEach(2, work, stop);
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(5));
}

TEST(After, TakesAnyNumberOfSeconds) {
  EXPECT_EQ(after(std::numeric_limits<double>::infinity()), Clock::time_point::max());
  EXPECT_EQ(after(std::numeric_limits<double>::quiet_NaN()), Clock::time_point::max());
  const Clock::time_point past = after(-1.0);
  EXPECT_LE(past, Clock::now());
}

TEST(ForEach, RethrowsWhatWorkThrows) {
  const auto work = [](std::int64_t piece) {
    if (piece == 3) {
      throw std::runtime_error("three");
    }
  };
  EXPECT_THROW(forEach(100, work, {}), std::runtime_error);
}

TEST(ForEach, RethrowsWhatTheFirstOfSeveralPiecesThrows) {
  constexpr int kThreads = 4;
  const std::int64_t count = std::min(kThreads, usableCores());
  for (int turn = 0; turn < 20; ++turn) {
    std::atomic<std::int64_t> begun{0};
    const auto work = [&](std::int64_t piece) {
      // All have begun before the first throws.
      ++begun;
      while (begun < count) {
        std::this_thread::yield();
      }
      throw std::out_of_range(std::to_string(piece));
    };
    try {
      forEach(count, work, {});
      FAIL() << "nothing was thrown";
    } catch (const std::out_of_range& error) {
      EXPECT_STREQ(error.what(), "0");
    }
  }
}

TEST(ForRanges, TakesEachItemOnce) {
  for (const std::int64_t count : {0, 1, 7, 8, 1000}) {
    std::vector<std::atomic<int>> taken(static_cast<std::size_t>(count));
    const auto work = [&taken](std::int64_t first, std::int64_t last) {
      EXPECT_LE(last - first, 7);
      for (std::int64_t i = first; i < last; ++i) {
        ++taken[static_cast<std::size_t>(i)];
      }
    };
    forRanges(count, 7, work, {});
    for (const std::atomic<int>& times : taken) {
      EXPECT_EQ(times, 1);
    }
  }
}

TEST(ForRanges, BeginsNothingAfterTheDeadline) {
  const StopWhen stop = {Clock::now(), {}};
  for (const std::int64_t count : {3, 30}) {
    forRanges(
        count, 7, [](std::int64_t /*first*/, std::int64_t /*last*/) { FAIL(); }, stop);
  }
}

}  // namespace
}  // namespace generative_ik::parallel

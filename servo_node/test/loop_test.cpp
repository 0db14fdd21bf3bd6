// The loop's thread, and what is handed over between threads.
#include "loop.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "handover.hpp"

namespace generative_ik_servo {
namespace {

constexpr double kLoopPeriod = 0.005;

TEST(Handover, GivesTheNewestValueOnce) {
  Handover<int> handover(7);
  EXPECT_EQ(handover.take(), nullptr);
  EXPECT_EQ(handover.last(), 7);
  handover.write(1);
  handover.write(2);
  const int* newest = handover.take();
  ASSERT_NE(newest, nullptr);
  EXPECT_EQ(*newest, 2);
  EXPECT_EQ(handover.take(), nullptr);
  handover.write(3);
  EXPECT_EQ(*newest, 2) << "what was taken stays";
  EXPECT_EQ(handover.last(), 2);
  EXPECT_EQ(*handover.take(), 3);
}

TEST(Handover, NoValueIsTornOrOlderThanTheOneBefore) {
  struct Row {
    long numbers[64];
  };
  constexpr long kLast = 200'000;
  Handover<Row> handover{Row{}};
  std::thread writer([&] {
    Row row{};
    for (long k = 1; k <= kLast; ++k) {
      std::fill(std::begin(row.numbers), std::end(row.numbers), k);
      handover.write(row);
    }
  });
  long before = 0;
  bool whole = true;
  while (before < kLast) {
    if (const Row* row = handover.take()) {
      const long number = row->numbers[0];
      whole = whole && number > before &&
              std::all_of(std::begin(row->numbers), std::end(row->numbers),
                          [&](long one) { return one == number; });
      before = number;
    }
  }
  writer.join();
  EXPECT_TRUE(whole);
}

TEST(Loop, CallsOnceAPeriodUntilItIsToEnd) {
  std::vector<double> times;
  Lateness lateness;
  Loop loop;
  EXPECT_FALSE(loop.running());
  const auto tick = [&](double now) {
    times.push_back(now);
    return times.size() < 41 ? kLoopPeriod : 0.0;
  };
  EXPECT_EQ(loop.start(tick, {}, lateness), "");
  loop.join();
  EXPECT_FALSE(loop.running());
  ASSERT_EQ(times.size(), 41U);
  // Longer where periods were left out, never shorter.
  EXPECT_GT(times.back() - times.front(), 40.0 * kLoopPeriod - 1e-3);
  const Lateness::Quantiles late = lateness.quantiles();
  EXPECT_GE(late.p50, 0.0);
  EXPECT_LE(late.p50, late.p99);
  EXPECT_LE(late.p99, late.max);
}

TEST(Loop, APeriodThatBeginsLateIsNotCaughtUp) {
  std::vector<double> times;
  Lateness lateness;
  Loop loop;
  const auto tick = [&](double now) {
    times.push_back(now);
    if (times.size() == 10) {
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
    }
    return times.size() < 30 ? kLoopPeriod : 0.0;
  };
  loop.start(tick, {}, lateness);
  loop.join();
  EXPECT_GE(lateness.skipped(), 1U);
  EXPECT_GE(lateness.quantiles().max, 0.05);
  EXPECT_GE(times[10] - times[9], 0.06);
  EXPECT_GE(times[29] - times[10], 19.0 * kLoopPeriod - 1e-3);
}

TEST(Loop, BeginsAnewAfterItsEnd) {
  int calls = 0;
  Lateness lateness;
  Loop loop;
  for (int i = 0; i < 3; ++i) {
    loop.start([&](double) { return ++calls % 2 == 0 ? 0.0 : 1e-3; }, {}, lateness);
    loop.join();
  }
  EXPECT_EQ(calls, 6);
}

TEST(Loop, SaysThatAPriorityIsNotAllowed) {
  Lateness lateness;
  Loop loop;
  LoopOptions options;
  options.priority = 1000;
  const std::string refused = loop.start([](double) { return 0.0; }, options, lateness);
  EXPECT_EQ(refused.find("no priority 1000 of SCHED_FIFO: "), 0U) << refused;
}

TEST(Lateness, QuantilesAreThoseOfTheLatestPeriods) {
  Lateness lateness;
  EXPECT_EQ(lateness.quantiles().max, 0.0);
  for (int i = 0; i < 3; ++i) {
    lateness.add(9.0, true);
  }
  for (int i = 0; i < 5000; ++i) {
    lateness.add(i, false);
  }
  const Lateness::Quantiles late = lateness.quantiles();
  EXPECT_DOUBLE_EQ(late.p50, 2499.5);
  EXPECT_DOUBLE_EQ(late.p99, 4949.01);
  EXPECT_DOUBLE_EQ(late.max, 4999.0);
  EXPECT_EQ(lateness.skipped(), 3U);
}

}  // namespace
}  // namespace generative_ik_servo

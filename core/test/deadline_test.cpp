#include <gtest/gtest.h>

#include <generative_ik/deadline.hpp>
#include <limits>
#include <thread>

namespace generative_ik {
namespace {

TEST(Deadline, CountsDown) {
  const Deadline deadline(0.02);
  EXPECT_FALSE(deadline.passed());
  EXPECT_GT(deadline.remaining(), 0.0);
  EXPECT_LE(deadline.remaining(), 0.02);
  std::this_thread::sleep_until(deadline.end());
  EXPECT_TRUE(deadline.passed());
  EXPECT_EQ(deadline.remaining(), 0.0);
}

TEST(Deadline, AcceptsAnyNumberOfSeconds) {
  EXPECT_TRUE(Deadline(0.0).passed());
  EXPECT_TRUE(Deadline(-1.0).passed());
  EXPECT_TRUE(Deadline(std::numeric_limits<double>::quiet_NaN()).passed());
  EXPECT_GT(Deadline(std::numeric_limits<double>::infinity()).remaining(), 3600.0);
}

TEST(Deadline, AfterIsAFractionOfTheRemainingTime) {
  const Deadline deadline(10.0);
  EXPECT_NEAR(deadline.after(0.25).remaining(), 2.5, 0.5);
}

}  // namespace
}  // namespace generative_ik

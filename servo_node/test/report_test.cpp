// What the status says, and what is wrong with messages, in words.
#include "report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "text.hpp"

namespace generative_ik_servo {
namespace {

using generative_ik::TrackingStatus;

TEST(Report, SaysWhatTheServoDoes) {
  Report report;
  ServoState state;
  const auto says = [&] { return report.status(state).message; };
  const auto warns = [&] { return report.status(state).level == Level::kWarn; };
  EXPECT_EQ(says(), "waiting for a target");
  EXPECT_FALSE(warns());
  EXPECT_TRUE(report.refuse("frame 'moon'", state));
  EXPECT_FALSE(report.refuse("frame 'moon'", state)) << "logged twice";
  EXPECT_EQ(says(), "refused: frame 'moon'");
  EXPECT_TRUE(warns());
  state = {.commands = 1, .followed = 0, .motions = 1, .moving = true, .following = false};
  EXPECT_EQ(says(), "stopping: refused: frame 'moon'");
  state.following = true;
  state.followed = 1;
  state.status = TrackingStatus::kLimited;
  EXPECT_EQ(says(), "LIMITED");
  EXPECT_FALSE(warns());
  EXPECT_TRUE(report.fail("frame 'moon'", state)) << "a motion has begun since";
  EXPECT_EQ(says(), "LIMITED: frame 'moon'");
  state.status = TrackingStatus::kHeld;
  state.reason = generative_ik::HeldReason::kUnreachable;
  EXPECT_EQ(says(), "HELD: unreachable");
  EXPECT_TRUE(warns());
  state = {.commands = 9, .followed = 2, .motions = 1};
  report.setMissing("no robot");
  EXPECT_EQ(says(), "no robot");
  Lateness lateness;
  const auto values = report.values(state, lateness);
  ASSERT_EQ(values.size(), 6U);
  EXPECT_EQ(values[0], std::pair(std::string("commands"), std::string("9")));
  EXPECT_EQ(values[1], std::pair(std::string("refused_messages"), std::string("2")));
}

TEST(Text, NumbersAndPosesAreCheckedInWords) {
  EXPECT_EQ(positiveNumbers("n", " 1 2.5  3e1 "), (std::vector<double>{1.0, 2.5, 30.0}));
  EXPECT_TRUE(positiveNumbers("n", "").empty());
  for (const char* text : {"1 x", "0", "-1", "nan", "inf", "1,5", "1 2z"}) {
    EXPECT_THROW(positiveNumbers("n", text), std::invalid_argument) << text;
  }
  EXPECT_EQ(whatIsWrongWithPose({0, 0, 0}, {0, 0, 0, 1.005}), "");
  EXPECT_EQ(whatIsWrongWithPose({NAN, 0, 1.5}, {0, 0, 0, 1}),
            "target 0: position is not finite: (nan, 0, 1.5)");
  EXPECT_EQ(whatIsWrongWithPose({0, 0, 0}, {0, 0, 0, 0}),
            "target 0: orientation is a zero quaternion (0, 0, 0, 0)");
  EXPECT_NE(whatIsWrongWithPose({0, 0, 0}, {0, 0, 0, 2}).find("has norm 2; only"),
            std::string::npos);
  EXPECT_EQ(whatIsWrongWithTwist({0, HUGE_VAL, 0, 0, 0, 0}),
            "twist is not finite: [0, inf, 0, 0, 0, 0]");
  EXPECT_EQ(oneLine(" a\n\tb  "), "a b");
  EXPECT_EQ(listed(std::vector<std::string>(42, "j")).substr(111), "j, j, j and 2 more");
}

}  // namespace
}  // namespace generative_ik_servo

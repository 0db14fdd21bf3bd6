// The servo period by period, on a clock of the test's own: limits, starts, stops, allocations.
#include "servo.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "../../core/test/allocations.hpp"

namespace generative_ik_servo {
namespace {

using generative_ik::TrackerStep;
using generative_ik::TrackingStatus;
using generative_ik::Vector;

constexpr double kRate = 500.0;
constexpr double kPeriod = 1.0 / kRate;
constexpr double kAcceleration = 10.0;
constexpr double kTimeout = 0.1;

const generative_ik::UrdfChain& panda() {
  static const generative_ik::UrdfChain robot = [] {
    std::stringstream text;
    text << std::ifstream(ROBOTS "panda.urdf").rdbuf();
    return generative_ik::readUrdf(text.str(), "panda_link0", "panda_hand_tcp");
  }();
  return robot;
}

Vector startOfPanda() {
  return (Vector(7) << 0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.7).finished();
}

ArmOptions optionsOfPanda() {
  ArmOptions options;
  options.rate = kRate;
  options.timeout = kTimeout;
  options.acceleration_limits = {kAcceleration};
  return options;
}

// A servo with an arm that is where it was commanded; each command is held against the limits.
class Commanded {
 public:
  Commanded() : arm_(panda(), optionsOfPanda(), 0) {
    servo_.setArm(&arm_);
    measure(q_);
  }

  void measure(const Vector& q) { arm_.measured.write({q, Vector::Constant(q.size(), now_)}); }

  // Puts the arm somewhere, at rest.
  void place(const Vector& q) {
    q_ = q;
    v_.setZero();
    measure(q);
  }

  bool tick() {
    now_ += kPeriod;
    const TrackerStep* step = servo_.tick(now_);
    if (step == nullptr) {
      return false;
    }
    const Vector v = (step->positions - q_) / kPeriod;
    EXPECT_LE((v - v_).cwiseAbs().maxCoeff(), kAcceleration * kPeriod * (1.0 + 1e-6));
    EXPECT_TRUE(((panda().velocity_limits - v.cwiseAbs()).array() > -1e-9).all());
    q_ = step->positions;
    v_ = v;
    return true;
  }

  int ticks(int count) {
    int commands = 0;
    for (int i = 0; i < count; ++i) {
      commands += tick() ? 1 : 0;
    }
    return commands;
  }

  void send(const Eigen::Isometry3d& pose) {
    Aim aim;
    aim.arrived = now_;
    aim.pose_in_base = pose;
    arm_.poses.write(aim);
  }

  void send(const Eigen::Vector3d& velocity, Aim::Kind kind) {
    Aim aim;
    aim.arrived = now_;
    aim.kind = kind;
    aim.twist << velocity, 0.0, 0.0, 0.0;
    arm_.twists.write(aim);
  }

  [[nodiscard]] Eigen::Isometry3d tip() const { return panda().chain.tipInBase(q_); }
  [[nodiscard]] double speed() const { return v_.cwiseAbs().maxCoeff(); }

  double now_ = 100.0;
  Vector q_ = startOfPanda();
  Vector v_ = Vector::Zero(7);
  Arm arm_;
  Servo servo_;
};

TEST(Servo, FollowsAPoseAndComesToRestThere) {
  Commanded arm;
  EXPECT_EQ(arm.ticks(10), 0);
  Eigen::Isometry3d goal = arm.tip();
  goal.translation() += Eigen::Vector3d(0.05, 0.1, -0.05);
  for (int i = 0; i < 100; ++i) {
    arm.send(goal);
    EXPECT_EQ(arm.ticks(10), 10);
  }
  EXPECT_LT((arm.tip().translation() - goal.translation()).norm(), 1e-4);
  EXPECT_EQ(arm.servo_.state().status, TrackingStatus::kTracking);
  // Until the target is stale, and the arm at rest.
  EXPECT_LE(arm.ticks(1000), static_cast<int>((kTimeout + 0.1) * kRate));
  EXPECT_EQ(arm.speed(), 0.0);
  EXPECT_FALSE(arm.servo_.state().moving);
}

TEST(Servo, TwistsMoveTheTipAlongTheAxesOfTheirFrame) {
  for (const Aim::Kind kind : {Aim::Kind::kTwist, Aim::Kind::kTwistOfTip}) {
    Commanded arm;
    const Eigen::Isometry3d start = arm.tip();
    const Eigen::Vector3d axis = kind == Aim::Kind::kTwist
                                     ? Eigen::Vector3d::UnitZ()
                                     : Eigen::Vector3d(start.linear().col(2));
    for (int i = 0; i < 50; ++i) {
      arm.send(Eigen::Vector3d(0, 0, 0.05), kind);
      arm.ticks(10);
    }
    const Eigen::Vector3d moved = arm.tip().translation() - start.translation();
    EXPECT_GT(moved.dot(axis), 0.03);
    EXPECT_LT((moved - moved.dot(axis) * axis).norm(), 0.001);
  }
}

TEST(Servo, BrakesWithinTheLimitsWhenTargetsEnd) {
  Commanded arm;
  for (int i = 0; i < 40; ++i) {
    arm.send(Eigen::Vector3d(0, 0.25, 0), Aim::Kind::kTwist);
    arm.ticks(10);
  }
  const double speed = arm.speed();
  EXPECT_GT(speed, 0.1);
  const int after = arm.ticks(2000);
  EXPECT_GT(after, static_cast<int>(kTimeout * kRate) - 11);
  EXPECT_LE(after, static_cast<int>((kTimeout + speed / kAcceleration) * kRate) + 10);
  EXPECT_EQ(arm.speed(), 0.0);
}

TEST(Servo, CommandsNothingBeforeItIsKnownWhereTheArmIs) {
  Commanded arm;
  arm.now_ += 1.5;  // since the joint states
  arm.send(arm.tip());
  EXPECT_EQ(arm.ticks(5), 0);
  EXPECT_EQ(arm.servo_.state().blocked, Blocked::kNoJointStates);
  arm.place(startOfPanda().array() + 0.1);
  EXPECT_EQ(arm.ticks(5), 0) << "a target that could not be followed is forgotten";
  arm.send(arm.tip());
  EXPECT_EQ(arm.ticks(5), 5);
  EXPECT_EQ(arm.servo_.state().blocked, Blocked::kNot);
}

TEST(Servo, DoesNotBeginFarBeyondALimit) {
  Commanded arm;
  Vector q = startOfPanda();
  q[5] = panda().chain.variables()[5].upper + 0.06;
  arm.place(q);
  arm.send(arm.tip());
  EXPECT_EQ(arm.ticks(5), 0);
  EXPECT_EQ(arm.servo_.state().blocked, Blocked::kBeyondLimits);
}

TEST(Servo, GoesOnFromTheLastCommandIfTheArmIsNearIt) {
  Commanded arm;
  arm.send(arm.tip());
  arm.ticks(200);
  const Vector commanded = arm.q_;
  arm.measure(commanded.array() + 0.01);
  arm.send(arm.tip());
  ASSERT_TRUE(arm.tick());
  EXPECT_LT((arm.q_ - commanded).cwiseAbs().maxCoeff(), 1e-4);
  arm.ticks(200);
  const Vector elsewhere = commanded.array() + 0.03;
  arm.place(elsewhere);
  arm.send(arm.tip());
  ASSERT_TRUE(arm.tick());
  EXPECT_LT((arm.q_ - elsewhere).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(Servo, AnotherArmEndsTheMotionByBraking) {
  Commanded arm;
  Arm other(panda(), optionsOfPanda(), 0);
  const auto push = [&](Arm& of, int count) {
    Aim aim;
    aim.kind = Aim::Kind::kTwist;
    aim.twist << 0.0, 0.25, 0.0, 0.0, 0.0, 0.0;
    int commands = 0;
    for (int i = 0; i < count; ++i) {
      aim.arrived = arm.now_;
      of.twists.write(aim);
      commands += arm.tick() ? 1 : 0;
    }
    return commands;
  };
  push(arm.arm_, 400);
  EXPECT_GT(arm.speed(), 0.1);
  arm.servo_.setArm(&other);
  EXPECT_TRUE(arm.servo_.uses(&arm.arm_) && arm.servo_.uses(&other));
  EXPECT_FALSE(arm.servo_.uses(nullptr));
  const std::uint64_t motions = arm.servo_.state().motions;
  other.measured.write({arm.q_, Vector::Constant(7, arm.now_)});
  for (int i = 0; i < 200 && arm.servo_.state().motions == motions; ++i) {
    other.measured.write({arm.q_, Vector::Constant(7, arm.now_)});
    arm.send(Eigen::Vector3d(0, 0.25, 0), Aim::Kind::kTwist);  // to the arm before, of no avail
    push(other, 1);
  }
  EXPECT_EQ(arm.servo_.state().motions, motions + 1);
  EXPECT_FALSE(arm.servo_.uses(&arm.arm_));
  EXPECT_EQ(push(other, 200), 200);
  arm.servo_.setArm(nullptr);
  EXPECT_TRUE(arm.servo_.uses(&other)) << "it is still moving";
  arm.ticks(1000);
  EXPECT_FALSE(arm.servo_.uses(&other));
  EXPECT_EQ(arm.servo_.arm(), nullptr);
}

TEST(Servo, StopsAndResumes) {
  Commanded arm;
  for (int i = 0; i < 300; ++i) {
    arm.send(Eigen::Vector3d(0, 0.25, 0), Aim::Kind::kTwist);
    arm.tick();
  }
  arm.servo_.stop();
  EXPECT_FALSE(arm.servo_.finished());
  int commands = 0;
  while (!arm.servo_.finished() && commands < 1000) {
    arm.send(Eigen::Vector3d(0, 0.25, 0), Aim::Kind::kTwist);
    commands += arm.tick() ? 1 : 0;
  }
  EXPECT_EQ(arm.speed(), 0.0);
  EXPECT_GT(commands, 5);
  arm.servo_.resume();
  arm.place(arm.q_);
  arm.send(arm.tip());
  EXPECT_EQ(arm.ticks(5), 5);
}

TEST(Servo, ATickAllocatesNothing) {
  Commanded arm;
  arm.send(arm.tip());
  arm.ticks(200);
  arm.measure(arm.q_);
  const Eigen::Isometry3d goal = arm.tip() * Eigen::Translation3d(0.05, 0.0, 0.0);
  double now = arm.now_;
  long before = 0;
  int commands = 0;
  for (const bool counted : {false, true}) {
    before = generative_ik::test::allocations();
    commands = 0;
    // From the beginning of a motion to its end.
    for (int i = 0; i < 400; ++i) {
      now += kPeriod;
      if (i < 100) {
        Aim aim;
        aim.arrived = now;
        aim.pose_in_base = goal;
        arm.arm_.poses.write(aim);
        aim.kind = Aim::Kind::kTwistOfTip;
        arm.arm_.twists.write(aim);
      }
      commands += arm.servo_.tick(now) != nullptr ? 1 : 0;
    }
    EXPECT_TRUE(!counted || generative_ik::test::allocations() == before)
        << generative_ik::test::allocations() - before;
  }
  EXPECT_GT(before, 0) << "they are not counted";
  EXPECT_GT(commands, 150);
}

TEST(Arm, LimitsAreCheckedInWords) {
  const auto says = [](const ArmOptions& options) -> std::string {
    try {
      Arm(panda(), options, 0);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  ArmOptions options;
  EXPECT_EQ(says(options), "");
  options.velocity_limits = {1.0, 2.0};
  EXPECT_EQ(says(options).find("velocity_limits has shape (2,); one number for all, or one is "
                               "needed for each of the 7 joints: panda_joint1, "),
            0U);
  generative_ik::UrdfChain robot = panda();
  robot.velocity_limits[2] = HUGE_VAL;
  EXPECT_THROW(Arm(robot, {}, 0), std::invalid_argument);
}

}  // namespace
}  // namespace generative_ik_servo

// Trackers in C++: their options, where tips come to rest, and the limits of the joints at each
// step. What trackers do on courses whose answers are known is tested in test/tracking.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <generative_ik/tracker.hpp>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "../src/model/singular_values.hpp"
#include "../src/tracking/bounded_quadratic.hpp"
#include "../src/tracking/motion_limits.hpp"
#include "allocations.hpp"
#include "robots.hpp"

namespace generative_ik::test {
namespace {

using tracking::BoundedQuadratic;
using tracking::Bounds;
using tracking::brakingVelocity;
using tracking::MotionLimits;

// A start well inside the limits.
Vector middle(const Chain& chain) {
  Vector q(chain.size());
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    const Variable& variable = chain.variables()[static_cast<std::size_t>(i)];
    q[i] = variable.continuous ? 0.2 : 0.4 * variable.lower + 0.6 * variable.upper;
  }
  return q;
}

TrackerOptions optionsOf(const Chain& chain, double velocity = 2.0, double acceleration = 6.0) {
  TrackerOptions options;
  options.velocity_limits = Vector::Constant(chain.size(), velocity);
  options.acceleration_limits = Vector::Constant(chain.size(), acceleration);
  return options;
}

// Steps of a tracker, each of which is held against the limits.
class Checked {
 public:
  Checked(const Chain& chain, const Vector& seed, const TrackerOptions& options)
      : chain_(chain), options_(options), tracker_(chain, seed, options), q_(seed) {
    v_ = Vector::Zero(seed.size());
  }

  const TrackerStep& step(const Eigen::Isometry3d& target) {
    const TrackerStep& step = tracker_.step(target);
    check(step);
    return step;
  }
  const TrackerStep& brake() {
    const TrackerStep& step = tracker_.brake();
    check(step);
    return step;
  }
  Tracker& tracker() { return tracker_; }

 private:
  void check(const TrackerStep& step) {
    // Positions are rounded; so are the velocities between them.
    const double rounding = 1e-15 / options_.period;
    for (Eigen::Index i = 0; i < q_.size(); ++i) {
      const Variable& variable = chain_.variables()[static_cast<std::size_t>(i)];
      ASSERT_TRUE(std::isfinite(step.positions[i]));
      if (!variable.continuous) {
        ASSERT_GE(step.positions[i], variable.lower);
        ASSERT_LE(step.positions[i], variable.upper);
      }
      const double velocity = (step.positions[i] - q_[i]) / options_.period;
      ASSERT_NEAR(velocity, step.velocities[i], 10.0 * rounding);
      ASSERT_LE(std::abs(velocity), options_.velocity_limits[i] + rounding);
      ASSERT_LE(std::abs(step.velocities[i] - v_[i]),
                options_.acceleration_limits[i] * options_.period);
    }
    q_ = step.positions;
    v_ = step.velocities;
  }

  Chain chain_;
  TrackerOptions options_;
  Tracker tracker_;
  Vector q_;
  Vector v_;
};

TEST(Braking, TheVelocityIsTheGreatestThatStopsInTheDistance) {
  const double brake = 3.0;
  const double period = 0.01;
  for (const double distance : {0.0, 1e-6, 1e-4, 3e-4, 0.01, 0.5, 7.0}) {
    for (const double factor : {1.0, 1.0 + 1e-6}) {
      double velocity = factor * brakingVelocity(distance, brake, period);
      double way = 0.0;
      while (velocity > 0.0) {
        way += velocity * period;
        velocity -= brake * period;
      }
      if (factor == 1.0) {
        EXPECT_NEAR(way, distance, 1e-12);
      } else {
        EXPECT_TRUE(way > distance || distance == 0.0);
      }
    }
  }
  EXPECT_TRUE(std::isinf(brakingVelocity(std::numeric_limits<double>::infinity(), 1.0, 0.1)));
}

TEST(Braking, ThereIsAlwaysANextMotionAndItStaysWithinTheLimits) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  for (int trial = 0; trial < 300; ++trial) {
    const double period = std::pow(10.0, -3.0 + 2.0 * uniform(random));
    const double width = std::pow(10.0, -3.0 + 4.0 * uniform(random));
    const MotionLimits limits = {period,
                                 {-width},
                                 {width},
                                 {std::pow(10.0, uniform(random))},
                                 {std::pow(10.0, 2.0 * uniform(random) - 0.5)}};
    Bounds motions{{0.0}, {0.0}};
    double q = width * (2.0 * uniform(random) - 1.0);
    double v = 0.0;
    for (int step = 0; step < 400; ++step) {
      limits.nextMotions(&q, &v, motions);
      ASSERT_LE(motions.lower[0], motions.upper[0]);
      // Mostly at one end, for a while.
      const double share =
          std::clamp(1.6 * std::sin(0.02 * step * (1 + trial % 7)) + 0.5, 0.0, 1.0);
      const double motion = motions.lower[0] + share * (motions.upper[0] - motions.lower[0]);
      ASSERT_LE(std::abs(motion / period - v), limits.acceleration[0] * period);
      ASSERT_LE(std::abs(motion), limits.velocity[0] * period);
      v = motion / period;
      q += motion;
      ASSERT_LE(std::abs(q), width * (1.0 + 1e-13));
    }
  }
}

TEST(Quadratic, TheMinimumFulfilsItsConditions) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  for (const int size : {1, 3, 7, 14, 40}) {
    BoundedQuadratic quadratic(static_cast<std::size_t>(size));
    for (int trial = 0; trial < 100; ++trial) {
      Eigen::MatrixXd root(size, size);
      Vector b(size);
      Vector lower(size);
      Vector upper(size);
      Vector y = Vector::Zero(size);
      for (Eigen::Index i = 0; i < size; ++i) {
        for (Eigen::Index k = 0; k < size; ++k) {
          root(i, k) = normal(random);
        }
        b[i] = normal(random);
        const double one = 0.3 * normal(random);
        const double other = trial % 4 == 0 && i % 3 == 0 ? one : 0.3 * normal(random);
        lower[i] = std::min(one, other);
        upper[i] = std::max(one, other);
      }
      const Eigen::MatrixXd h =
          root * root.transpose() + 0.1 * Eigen::MatrixXd::Identity(size, size);
      Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
          quadratic.matrix(), size, size) = h;
      quadratic.solve(b.data(), lower.data(), upper.data(), y.data());
      const Vector descent = b - h * y;
      for (Eigen::Index i = 0; i < size; ++i) {
        ASSERT_GE(y[i], lower[i]);
        ASSERT_LE(y[i], upper[i]);
        ASSERT_LE(y[i] < upper[i] ? descent[i] : 0.0, 1e-8);
        ASSERT_GE(y[i] > lower[i] ? descent[i] : 0.0, -1e-8);
      }
    }
  }
}

TEST(Quadratic, WhereItIsFlatVariablesStayAndOthersComeToTheMinimum) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  constexpr int kSize = 13;
  for (int trial = 0; trial < 300; ++trial) {
    Eigen::MatrixXd root(kSize, 1 + trial % 6);
    for (double& number : root.reshaped()) {
      number = 1e3 * normal(random);
    }
    const Eigen::MatrixXd h = root * root.transpose();
    const Vector b = h * Vector::Constant(kSize, 0.1);
    const Vector most = Vector::Constant(kSize, 1e3);
    const Vector least = -most;
    Vector y = Vector::Zero(kSize);
    BoundedQuadratic quadratic(kSize);
    Eigen::Map<Eigen::Matrix<double, kSize, kSize, Eigen::RowMajor>>(quadratic.matrix()) = h;
    quadratic.solve(b.data(), least.data(), most.data(), y.data());
    ASSERT_TRUE(y.allFinite());
    EXPECT_LT((b - h * y).norm(), 1e-6 * b.norm());
  }
}

TEST(Tracker, AJumpStopsItUnlessItIsFollowed) {
  const Chain chain = panda();
  const Eigen::Isometry3d home = chain.tipInBase(middle(chain));
  Eigen::Isometry3d away = home;
  away.translation().y() -= 0.1;
  TrackerOptions options = optionsOf(chain);
  options.largest_jump = {0.05, 0.2};
  for (const bool follow : {false, true}) {
    options.follow_jumps = follow;
    Checked checked(chain, middle(chain), options);
    EXPECT_EQ(checked.step(home).status, TrackingStatus::kTracking);
    const TrackingStatus expected = follow ? TrackingStatus::kJumped : TrackingStatus::kHeld;
    for (int step = 0; step < 100; ++step) {
      EXPECT_EQ(checked.step(away).status, expected);
    }
    EXPECT_EQ(checked.tracker().last().reason, follow ? HeldReason::kNone : HeldReason::kJump);
    for (int step = 0; step < 4000; ++step) {
      checked.step(follow ? away : home);
    }
    EXPECT_EQ(checked.tracker().last().status, TrackingStatus::kTracking) << follow;
  }
}

TEST(Tracker, WhatIsNoPoseStopsTheArm) {
  const Chain chain = panda();
  Eigen::Isometry3d target = chain.tipInBase(middle(chain));
  target.translation().x() += 0.3;
  for (const double nowhere : {std::nan(""), 1e300}) {  // squares of these are infinite
    Checked checked(chain, middle(chain), optionsOf(chain));
    for (int step = 0; step < 300; ++step) {
      checked.step(target);
    }
    EXPECT_GT(checked.tracker().last().velocities.norm(), 0.1);
    Eigen::Isometry3d lost = target;
    lost.translation().x() = nowhere;
    for (int step = 0; step < 500; ++step) {
      EXPECT_EQ(checked.step(lost).status, TrackingStatus::kHeld);
    }
    EXPECT_EQ(checked.tracker().last().velocities.norm(), 0.0);
  }
}

TEST(Tracker, MovesToAConfigurationAndFollowsFromThere) {
  const Chain chain = ur10();
  const Vector start = middle(chain);
  const Eigen::Isometry3d target = chain.tipInBase(start);
  const IKSolver solver(chain);
  IKRequest request = requestFor(chain, start, start);
  request.num_solutions = 8;
  const IKSolutions found = solver.solve(request);
  ASSERT_GT(found.solutions.size(), 1U);
  const Vector other = found.solutions[1].q;
  Checked checked(chain, start, optionsOf(chain));
  checked.step(target);
  checked.tracker().moveTo(other);
  EXPECT_EQ(checked.step(target).status, TrackingStatus::kJumped);
  for (int step = 0; step < 6000; ++step) {
    checked.step(target);
  }
  EXPECT_EQ(checked.tracker().last().status, TrackingStatus::kTracking);
  EXPECT_LT((checked.tracker().last().positions - other).cwiseAbs().maxCoeff(), 1e-3);
}

TEST(Tracker, APostureIsApproachedWhileTheTipStays) {
  const Chain chain = panda();
  const Vector start = middle(chain);
  TrackerOptions options = optionsOf(chain);
  options.posture = start;
  options.posture[2] += 0.5;
  Checked checked(chain, start, options);
  const Eigen::Isometry3d target = chain.tipInBase(start);
  const double before = (options.posture - start).norm();
  for (int step = 0; step < 5000; ++step) {
    EXPECT_LT(checked.step(target).position_error, 1e-6);
  }
  const Vector end = checked.tracker().last().positions;
  EXPECT_LT((options.posture - end).norm(), 0.9 * before);
  // What is left of the way would move the tip.
  Jacobian jacobian;
  chain.tipInBase(end, jacobian);
  const Vector still = singularValuesOf(jacobian.transpose()).left.col(6);
  EXPECT_LT(std::abs(still.dot(options.posture - end)), 1e-3);
}

TEST(Tracker, AToolMayTurnAboutAFreeAxis) {
  const Chain chain = panda();
  const Vector start = middle(chain);
  TrackerOptions options = optionsOf(chain);
  options.regions = {TaskSpaceRegion::freeAxis()};
  Checked checked(chain, start, options);
  const Eigen::Isometry3d target = chain.tipInBase(start);
  // Turned about it, the target is where the tip is already.
  for (int step = 0; step < 300; ++step) {
    const TrackerStep& last =
        checked.step(target * Eigen::AngleAxisd(0.1 * step, Eigen::Vector3d::UnitZ()));
    EXPECT_EQ(last.status, TrackingStatus::kTracking);
    EXPECT_LT((last.positions - start).cwiseAbs().maxCoeff(), 1e-9);
  }
  // Turned about it and moved, the tip follows, with its axis along the target's.
  for (int step = 0; step < 4000; ++step) {
    checked.step(Eigen::Translation3d(0.0, 0.1, -0.05) * target *
                 Eigen::AngleAxisd(0.1 * step, Eigen::Vector3d::UnitZ()));
  }
  const TrackerStep& last = checked.tracker().last();
  EXPECT_EQ(last.status, TrackingStatus::kTracking);
  const Eigen::Isometry3d tip = chain.tipInBase(last.positions);
  EXPECT_LT((tip.translation() - target.translation() - Eigen::Vector3d(0.0, 0.1, -0.05)).norm(),
            2e-5);
  EXPECT_GT(tip.linear().col(2).dot(target.linear().col(2)), 1.0 - 1e-9);
}

TEST(Tracker, ATipStaysUntilItsRegionLeavesIt) {
  const Chain chain = ur10();
  const Vector start = middle(chain);
  TrackerOptions options = optionsOf(chain);
  TaskSpaceRegion::Bounds room = TaskSpaceRegion::Bounds::Zero();
  room.head<3>().setConstant(0.05);
  options.regions = {TaskSpaceRegion(-room, room)};
  Checked checked(chain, start, options);
  const Eigen::Isometry3d tip = chain.tipInBase(start);
  for (int step = 0; step < 4000; ++step) {
    const double away = std::min(1e-4 * step, 0.1);
    const TrackerStep& last = checked.step(tip * Eigen::Translation3d(away, 0.0, 0.0));
    if (away < 0.0499) {
      EXPECT_LT((last.positions - start).cwiseAbs().maxCoeff(), 1e-9);
    }
  }
  const TrackerStep& last = checked.tracker().last();
  EXPECT_EQ(last.status, TrackingStatus::kTracking);
  const Eigen::Vector3d moved = tip.inverse() * chain.tipInBase(last.positions).translation();
  // It comes to rest inside, a little beyond the edge.
  EXPECT_GT(moved.x(), 0.05 - 2e-5);
  EXPECT_LT(moved.x(), 0.052);
}

TEST(Tracker, AnObjectiveIsApproachedWhileTheTipStays) {
  const Chain chain = panda();
  Vector start = middle(chain);
  start[2] = 1.2;
  const Eigen::Isometry3d target = chain.tipInBase(start);
  const auto margin = [&](const Vector& q) {
    double least = 1.0;
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      const Variable& variable = chain.variables()[static_cast<std::size_t>(i)];
      const double room = std::min(q[i] - variable.lower, variable.upper - q[i]);
      least = std::min(least, room / (variable.upper - variable.lower));
    }
    return least;
  };
  const auto manipulability = [&](const Vector& q) {
    Jacobian jacobian;
    chain.tipInBase(q, jacobian);
    return singularValuesOf(jacobian).values.prod();
  };
  const auto end = [&](NullSpaceObjective objective) -> Vector {
    TrackerOptions options = optionsOf(chain);
    options.objective = objective;
    Checked checked(chain, start, options);
    for (int step = 0; step < 5000; ++step) {
      EXPECT_LT(checked.step(target).position_error, 1e-6);
    }
    return checked.tracker().last().positions;
  };
  EXPECT_LT((end(NullSpaceObjective::kNone) - start).norm(), 1e-9);
  EXPECT_GT(margin(end(NullSpaceObjective::kLimitMargin)), 1.1 * margin(start));
  const Vector best = end(NullSpaceObjective::kManipulability);
  EXPECT_GT(manipulability(best), 1.1 * manipulability(start));
  // Further along what leaves the tip, it does not grow.
  Jacobian jacobian;
  chain.tipInBase(best, jacobian);
  const Vector still = singularValuesOf(jacobian.transpose()).left.col(6);
  for (const double way : {-0.02, 0.02}) {
    EXPECT_LT(manipulability(best + way * still), 1.001 * manipulability(best));
  }
}

TEST(Tracker, WhatCountsAsARadianIsThatOfTheWholeRobot) {
  Joint turn;
  Joint slide;
  slide.type = Joint::Type::kPrismatic;
  slide.axis = Eigen::Vector3d::UnitX();
  slide.variable = 1;
  const Chain little({{"turn", -1.0, 1.0}, {"slide", -0.2, 0.2, false, false}}, {turn, slide},
                     Eigen::Isometry3d(Eigen::Translation3d(0.0, 1.0, 0.0)));
  const Chain large({{"boom", -1.0, 1.0}}, {turn},
                    Eigen::Isometry3d(Eigen::Translation3d(10.0, 0.0, 0.0)));
  TrackerOptions options;
  options.velocity_limits = Vector::Constant(3, 100.0);
  options.acceleration_limits = Vector::Constant(3, 1e6);
  TaskSpaceRegion::Bounds room =
      TaskSpaceRegion::Bounds::Constant(std::numeric_limits<double>::infinity());
  room[0] = 0.0;  // x alone
  options.regions = {TaskSpaceRegion(-room, room), TaskSpaceRegion()};
  Tracker tracker({little, large}, Vector::Zero(3), options);
  const Eigen::Isometry3d target(Eigen::Translation3d(0.01, 1.0, 0.0));
  Vector q;
  for (int step = 0; step < 100; ++step) {
    q = tracker.step({target, large.tipInBase(Vector::Zero(1))}).positions;
  }
  EXPECT_NEAR(q[1] - q[0], 0.01, 1e-5);
  // Half the larger arm counts as 1 rad, and motions are least.
  EXPECT_NEAR(q[1] / -q[0], 5.0 * 5.0, 1.0);
}

TEST(Tracker, FollowsWithSeveralTips) {
  const std::vector<Chain> arms = twoArms();
  Vector start(13);
  start << middle(arms[0]), middle(arms[1]).tail(6);
  TrackerOptions options;
  options.velocity_limits = Vector::Constant(13, 2.0);
  options.acceleration_limits = Vector::Constant(13, 6.0);
  Tracker tracker(arms, start, options);
  ASSERT_EQ(tracker.variables().size(), 13U);
  EXPECT_EQ(tracker.variables()[0].name, "joint1");
  EXPECT_EQ(tracker.variables()[7].name, "right_joint2");
  const auto tips = [&](const Vector& q) {
    Vector right(7);
    right << q[0], q.tail(6);
    return std::vector<Eigen::Isometry3d>{arms[0].tipInBase(q.head(7)), arms[1].tipInBase(right)};
  };
  for (int step = 0; step < 3000; ++step) {
    Vector q = start;
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      q[i] += 0.1 * (1.0 - std::cos(0.001 * step * (1.0 + 0.1 * static_cast<double>(i))));
    }
    const std::vector<Eigen::Isometry3d> targets = tips(q);
    const long before = allocations();
    const TrackerStep& last = tracker.step(targets);
    ASSERT_EQ(allocations(), before);
    ASSERT_EQ(last.status, TrackingStatus::kTracking) << step;
    const std::vector<Eigen::Isometry3d> found = tips(last.positions);
    for (std::size_t g = 0; g < 2; ++g) {
      ASSERT_LT((found[g].matrix() - targets[g].matrix()).norm(), 1e-7);
    }
  }
  EXPECT_THROW(tracker.step(tips(start)[0]), std::invalid_argument);
  EXPECT_THROW(Tracker(std::vector<Chain>(), start, options), std::invalid_argument);
  EXPECT_THROW(Tracker({arms[0], ur10()}, start, options), std::invalid_argument);
}

TEST(Tracker, StopsBeforeWhatItAvoids) {
  constexpr double kClearance = 0.02;
  const Chain chain = arm();
  const CollisionWorld world(armWithBall());
  const Vector start = Vector::Constant(1, 0.3);
  const Eigen::Isometry3d target = chain.tipInBase(Vector::Constant(1, -1.4));
  Checked checked(chain, start, optionsOf(chain));
  checked.tracker().avoid(&world, kClearance);
  const long before = allocations();
  for (int step = 0; step < 4000; ++step) {
    ASSERT_GT(gapOfPillar(checked.step(target).positions[0]), 0.5 * kClearance);
  }
  EXPECT_EQ(allocations(), before);
  const TrackerStep& held = checked.tracker().last();
  EXPECT_EQ(held.status, TrackingStatus::kHeld);
  EXPECT_EQ(held.reason, HeldReason::kCollision);
  EXPECT_NEAR(gapOfPillar(held.positions[0]), kClearance, 1e-3);
  checked.tracker().avoid(nullptr);
  for (int step = 0; step < 3000; ++step) {
    checked.step(target);
  }
  EXPECT_EQ(checked.tracker().last().status, TrackingStatus::kTracking);
  EXPECT_THROW(checked.tracker().avoid(&world, 0.0), std::invalid_argument);
  Tracker other(panda(), middle(panda()), optionsOf(panda()));
  EXPECT_THROW(other.avoid(&world), std::invalid_argument);
}

TEST(Tracker, AStepAllocatesNothing) {
  const Chain chain = panda();
  std::mt19937 random(7);
  std::vector<Eigen::Isometry3d> targets;
  for (int k = 0; k < 20; ++k) {
    targets.push_back(chain.tipInBase(randomPosition(chain, random)));
    targets.back().translation() *= 0.8 + 0.1 * k;
  }
  TrackerOptions options = optionsOf(chain);
  options.posture = middle(chain);
  for (const bool position_first : {false, true}) {
    options.position_first = position_first;
    options.objective = NullSpaceObjective::kManipulability;
    Tracker tracker(chain, middle(chain), options);
    const Vector configuration = middle(chain);
    const long before = allocations();
    EXPECT_GT(before, 0) << "they are not counted";
    for (int step = 0; step < 4000; ++step) {
      tracker.step(targets[static_cast<std::size_t>(step / 200)]);
    }
    tracker.moveTo(configuration);
    tracker.step(targets[0]);
    tracker.brake();
    EXPECT_EQ(allocations(), before);
  }
}

TEST(Tracker, RefusesWhatCannotBe) {
  const Chain chain = panda();
  const Vector seed = middle(chain);
  EXPECT_THROW(Tracker(chain, seed, TrackerOptions()), std::invalid_argument);
  EXPECT_THROW(Tracker(chain, Vector::Zero(3), optionsOf(chain)), std::invalid_argument);
  EXPECT_THROW(Tracker(chain, seed, optionsOf(chain, -1.0)), std::invalid_argument);
  TrackerOptions options = optionsOf(chain);
  options.period = 0.0;
  EXPECT_THROW(Tracker(chain, seed, options), std::invalid_argument);
  options = optionsOf(chain);
  options.posture = Vector::Zero(2);
  EXPECT_THROW(Tracker(chain, seed, options), std::invalid_argument);
  options = optionsOf(chain);
  options.joint_weights = Vector::Zero(7);
  EXPECT_THROW(Tracker(chain, seed, options), std::invalid_argument);
  options = optionsOf(chain);
  options.tolerance.orientation = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(Tracker(chain, seed, options), std::invalid_argument);
  options = optionsOf(chain);
  options.regions.assign(2, TaskSpaceRegion());
  EXPECT_THROW(Tracker(chain, seed, options), std::invalid_argument);
  options.regions = {TaskSpaceRegion::free()};
  EXPECT_THROW(Tracker(chain, seed, options), std::invalid_argument);
  Tracker tracker(chain, seed, optionsOf(chain));
  EXPECT_THROW(tracker.moveTo(Vector::Constant(7, 9.0)), std::invalid_argument);
  EXPECT_THROW(tracker.reset(Vector::Constant(7, std::nan(""))), std::invalid_argument);
  Vector beyond = seed;
  beyond[0] = chain.variables()[0].upper + 0.04;
  tracker.reset(beyond);
  beyond[0] += 0.02;
  EXPECT_THROW(tracker.reset(beyond), std::invalid_argument);
  EXPECT_THROW(Tracker(chain, beyond, optionsOf(chain)), std::invalid_argument);
}

}  // namespace
}  // namespace generative_ik::test

// Collision worlds against distances computed by hand.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <generative_ik/collision_world.hpp>
#include <limits>
#include <numbers>
#include <random>
#include <stdexcept>
#include <vector>

#include "../src/search/collisions.hpp"
#include "../src/search/push_out.hpp"
#include "robots.hpp"

namespace generative_ik {
namespace {

using test::armWithBall;
using test::gapOfPillar;
using test::kArm;
using test::kBall;
using test::kGroup;
using test::treeOf;

// Balls around the origin at a distance of `away`, in groups of eight.
void addBalls(CollisionWorldArrays& arrays, std::size_t count, double away, double radius) {
  const std::size_t groups = (count + 7) / 8;
  arrays.primitives.assign(groups * 136, 0.0);
  arrays.kinds.assign(groups, 0);
  arrays.corners.assign(groups * 8 * 24, 0.0);
  for (std::size_t k = 0; k < 8 * groups; ++k) {
    double* lane = arrays.primitives.data() + 136 * (k / 8) + k % 8;
    const double angle =
        2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(count);
    const bool fills = k >= count;
    const std::array<double, 3> at = {fills ? 1e9 : away * std::cos(angle),
                                      fills ? 1e9 : away * std::sin(angle), fills ? 1e9 : 0.0};
    for (std::size_t i = 0; i < 3; ++i) {
      lane[8 * i] = at[i];
      lane[8 * (3 + 4 * i)] = 1.0;
    }
    lane[8 * 15] = lane[8 * 16] = fills ? 0.0 : radius;
  }
}

TEST(CollisionWorld, VerdictAndClearanceAreThoseOfTheBalls) {
  CollisionWorldArrays arrays = armWithBall();
  addBalls(arrays, 100, 1.6, 0.15);
  const CollisionWorld world(arrays);
  CollisionMemory memory;
  Nearest nearest;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> angle(-4.0, 4.0);
  int colliding = 0;
  for (int i = 0; i < 500; ++i) {
    const double q = angle(random);
    double gap = gapOfPillar(q);
    for (int k = 0; k < 100; ++k) {
      const double at = 2.0 * std::numbers::pi * k / 100.0;
      gap = std::min(gap, std::hypot(kArm * std::cos(q) - 1.6 * std::cos(at),
                                     kArm * std::sin(q) - 1.6 * std::sin(at)) -
                              kBall - 0.15);
    }
    EXPECT_NEAR(world.clearance(&q, nearest, memory), gap, 1e-12);
    const bool collides = gap < 0.0;
    EXPECT_EQ(world.check(&q, CollisionWorld::kSure, memory),
              collides ? Verdict::kColliding : Verdict::kFree);
    colliding += collides ? 1 : 0;
  }
  EXPECT_GT(colliding, 20);
  EXPECT_LT(colliding, 480);
}

TEST(CollisionWorld, WhatIsNotSurelyFreeIsUndecided) {
  const CollisionWorld world(armWithBall());
  CollisionMemory memory;
  const double q = 0.0;
  EXPECT_EQ(world.check(&q, gapOfPillar(q) - 1e-9, memory), Verdict::kFree);
  EXPECT_EQ(world.check(&q, gapOfPillar(q) + 1e-9, memory), Verdict::kUndecided);
}

TEST(CollisionWorld, PairsThatAreNotClearAreListed) {
  CollisionWorldArrays arrays = armWithBall();
  addBalls(arrays, 12, 1.0, 0.05);
  const CollisionWorld world(arrays);
  CollisionMemory memory;
  const double q = -std::numbers::pi / 2.0;  // at the pillar and the ball 9 of 12
  const std::vector<Contact> contacts = world.contacts(&q, memory);
  ASSERT_EQ(contacts.size(), 2U);
  EXPECT_EQ(contacts[0].other, -1 - 9);
  EXPECT_EQ(contacts[1].body, 0);
  EXPECT_EQ(contacts[1].other, 1);
  arrays.allowed = {0, 9};
  EXPECT_EQ(CollisionWorld(arrays).contacts(&q, memory).size(), 1U);
}

TEST(CollisionWorld, MotionsAreCheckedBetweenTheirEnds) {
  const CollisionWorld world(armWithBall());
  CollisionMemory memory;
  const double before = -std::numbers::pi;
  const double after = 0.0;
  const double fine = 0.02;
  const double coarse = 4.0;
  constexpr double kSure = CollisionWorld::kSure;
  EXPECT_EQ(world.check(&before, kSure, memory), Verdict::kFree);
  EXPECT_EQ(world.checkMotion(&before, &after, &fine, kSure, memory), Verdict::kColliding);
  EXPECT_EQ(world.checkMotion(&before, &after, &coarse, kSure, memory), Verdict::kFree);
  const double other_way = 2.0;
  EXPECT_EQ(world.checkMotion(&after, &other_way, &fine, kSure, memory), Verdict::kFree);
}

TEST(CollisionWorld, NothingAroundIsInfinitelyFar) {
  CollisionWorldArrays arrays = armWithBall();
  arrays.pairs.clear();
  arrays.margins.clear();
  const CollisionWorld world(arrays);
  CollisionMemory memory;
  Nearest nearest;
  const double q = 1.0;
  EXPECT_EQ(world.clearance(&q, nearest, memory), std::numeric_limits<double>::infinity());
  EXPECT_EQ(world.check(&q, 1.0, memory), Verdict::kFree);
}

// The ball of the arm, and the pillar as a cylinder about z of radius 0.2.
ShapeArrays ballAndCylinder() {
  ShapeArrays shapes;
  shapes.pieces = treeOf(kArm, kBall);
  const std::vector<double> around = treeOf(0.0, 5.1);
  shapes.pieces.insert(shapes.pieces.end(), around.begin(), around.end());
  shapes.pieces[kGroup + 15] = -1.0;
  const std::vector<double> ball = {1, kBall, 0, 0, 0, kArm, 0, 0, kArm, 0, 0, 0, 0, 0, 0, 0};
  const std::vector<double> cylinder = {0, 0, 0.2, 0, 0, 0, -1, 0, 0, -1, 5, 0, 0, 0, 0, 0};
  shapes.pieces.insert(shapes.pieces.end(), ball.begin(), ball.end());
  shapes.pieces.insert(shapes.pieces.end(), cylinder.begin(), cylinder.end());
  shapes.places = {0,  1,  6,  4,  1,  14, -1, -1, -1, -1, -1,
                   -1, -1, 64, -1, -1, -1, -1, -1, -1, -1, 80};
  return shapes;
}

TEST(ShapeDistances, AreThoseOfBallAndCylinder) {
  const CollisionWorld world(armWithBall());
  const ShapeDistances shapes(world, ballAndCylinder());
  CollisionMemory memory;
  Nearest nearest;
  for (double q = -4.0; q < 4.0; q += 0.05) {
    EXPECT_NEAR(shapes.distance(&q, nearest, memory), std::max(gapOfPillar(q), 0.0), 2e-7);
  }
}

TEST(PushOut, StepsLeadOutOfWhatTheyAreNotTooDeepIn) {
  const CollisionWorld world(armWithBall());
  const search::PushOut push = search::pushOutIn(world);
  // The pillar stands at -pi / 2.
  for (double q = -0.5 * std::numbers::pi; q < 0.0; q += 0.01) {
    const double gap = gapOfPillar(q);
    const double* const outside = push(&q);
    ASSERT_EQ(outside != nullptr,
              -search::kPushOptions.deepest <= gap && gap < search::kMarginWanted);
    if (outside != nullptr) {
      EXPECT_GT(*outside, q);
      EXPECT_GT(gapOfPillar(*outside), search::kPushOptions.margin);
    }
  }
}

TEST(CollisionWorld, ArraysThatDoNotFitAreRefused) {
  const auto refused = [](const auto& change) {
    CollisionWorldArrays arrays = armWithBall();
    addBalls(arrays, 3, 2.0, 0.1);
    change(arrays);
    EXPECT_THROW(CollisionWorld{arrays}, std::invalid_argument);
  };
  refused([](CollisionWorldArrays& a) { a.frame_ints[0] = 1; });
  refused([](CollisionWorldArrays& a) { a.frame_ints[2] = 1; });
  refused([](CollisionWorldArrays& a) { a.bodies[0] = 2; });
  refused([](CollisionWorldArrays& a) { a.bodies[2] = 9; });
  refused([](CollisionWorldArrays& a) { a.bodies[7] = 3; });
  refused([](CollisionWorldArrays& a) { a.pairs[1] = 2; });
  refused([](CollisionWorldArrays& a) { a.margins[0] = 1e300; });
  refused([](CollisionWorldArrays& a) { a.trees[24] = 0.1; });
  refused([](CollisionWorldArrays& a) { a.trees[31] = 1e300; });
  refused([](CollisionWorldArrays& a) { a.kinds[0] = 2; });
  refused([](CollisionWorldArrays& a) { a.num_moving = 3; });
  refused([](CollisionWorldArrays& a) { a.allowed = {1, 0}; });
  refused([](CollisionWorldArrays& a) { a.primitives.pop_back(); });
}

TEST(ShapeDistances, PiecesThatDoNotFitAreRefused) {
  const CollisionWorld world(armWithBall());
  const auto refused = [&world](const auto& change) {
    ShapeArrays arrays = ballAndCylinder();
    change(arrays);
    EXPECT_THROW((ShapeDistances{world, arrays}), std::invalid_argument);
  };
  refused([](ShapeArrays& a) { a.places[1] = 30; });
  refused([](ShapeArrays& a) { a.places[13] = 92; });
  refused([](ShapeArrays& a) { a.places.pop_back(); });
  refused([](ShapeArrays& a) { a.pieces[64] = 9; });
  refused([](ShapeArrays& a) { a.pieces[64] = 0.5; });
  refused([](ShapeArrays& a) { a.pieces[67] = 2; });
}

}  // namespace
}  // namespace generative_ik

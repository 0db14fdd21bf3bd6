// Poses of regions lie all over them. Solutions at these poses are tested in
// test/core/test_surfaces.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "../src/closed_form/locked_joint.hpp"
#include "../src/regions/placed_poses.hpp"
#include "../src/regions/pose_sequence.hpp"
#include "../src/simd/constants.hpp"

namespace generative_ik::regions {
namespace {

using Matrix = std::array<double, 9>;
using Pose = std::array<double, 16>;

constexpr double kReach = 3.0;

/// A region without room, to which tests add some; all coordinates take points of the sequence.
PoseSequence sequenceOf(RotationKind rotation) {
  PoseSequence sequence{};
  sequence.rotation = rotation;
  sequence.cone_axis = 2;
  sequence.cosine = 1.0;
  sequence.reach = kReach;
  for (int i = 0; i < PoseSequence::kCoordinates; ++i) {
    sequence.shift[i] = 0.1 * i;
    sequence.ratio[i] = std::sqrt(2.0 + 3.0 * i) - 1.0;
  }
  return sequence;
}

/// A target that is turned by 90 degrees about z and lies at (0.5, -0.2, 0.7).
constexpr Pose kTarget = {0, -1, 0, 0.5, 1, 0, 0, -0.2, 0, 0, 1, 0.7, 0, 0, 0, 1};

/// What a kernel writes of some poses about the target.
std::vector<EightPoses> posesOf(PlaceKernel kernel, const PoseSequence& sequence, int blocks,
                                const TurnedAway& turned = {nullptr, 0.0, 0.0}) {
  const RegionAbout region = RegionAbout::of(sequence, kTarget.data());
  EXPECT_TRUE(region.within_reach);
  std::vector<EightPoses> all(static_cast<std::size_t>(blocks));
  double next = 0.0;
  for (EightPoses& eight : all) {
    for (double& which : eight.which) {
      which = next;
      next += 1.0;
    }
    kernel(region, turned, eight);
  }
  return all;
}

/// Where the tip is, seen from the target.
struct TipInTarget {
  Matrix rotation;
  std::array<double, 3> place;
};

TipInTarget tipInTarget(const Pose& tip, const double* target) {
  TipInTarget seen{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t j = 0; j < 3; ++j) {
        seen.rotation[3 * i + j] += target[4 * k + i] * tip[4 * k + j];
      }
      seen.place[i] += target[4 * k + i] * (tip[4 * k + 3] - target[4 * k + 3]);
    }
  }
  return seen;
}

std::vector<TipInTarget> tipsOf(const std::vector<EightPoses>& all) {
  std::vector<TipInTarget> tips;
  for (const EightPoses& eight : all) {
    for (int lane = 0; lane < EightPoses::kCount; ++lane) {
      Pose tip{};
      eight.write(lane, tip.data());
      tips.push_back(tipInTarget(tip, kTarget.data()));
    }
  }
  return tips;
}

double defectOf(const Matrix& r) {
  double largest = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const double product = r[i] * r[j] + r[3 + i] * r[3 + j] + r[6 + i] * r[6 + j];
      largest = std::max(largest, std::abs(product - (i == j ? 1.0 : 0.0)));
    }
  }
  return largest;
}

TEST(RegionPoses, AreTheTargetWhereNothingIsFree) {
  for (const TipInTarget& tip :
       tipsOf(posesOf(placeKernels().front(), sequenceOf(RotationKind::kExact), 2))) {
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(tip.place[i], 0.0, 1e-15);
      for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_NEAR(tip.rotation[3 * i + j], i == j ? 1.0 : 0.0, 1e-15);
      }
    }
  }
}

TEST(RegionPoses, LieEvenlyInABoxThatIsCutOffWhereNoTipReaches) {
  PoseSequence sequence = sequenceOf(RotationKind::kExact);
  sequence.lower[0] = -0.1;
  sequence.upper[0] = 0.3;
  sequence.lower[2] = -std::numeric_limits<double>::infinity();
  sequence.upper[2] = std::numeric_limits<double>::infinity();
  int high = 0;
  int up = 0;
  const std::vector<TipInTarget> tips = tipsOf(posesOf(placeKernels().front(), sequence, 100));
  for (const TipInTarget& tip : tips) {
    EXPECT_GE(tip.place[0], -0.1 - 1e-15);
    EXPECT_LE(tip.place[0], 0.3 + 1e-15);
    EXPECT_NEAR(tip.place[1], 0.0, 1e-15);
    EXPECT_LE(std::abs(tip.place[2] + kTarget[11]), kReach + 1e-12);
    high += tip.place[0] > 0.1 ? 1 : 0;
    up += tip.place[2] + kTarget[11] > 0.0 ? 1 : 0;
  }
  EXPECT_NEAR(high / static_cast<double>(tips.size()), 0.5, 0.02);
  EXPECT_NEAR(up / static_cast<double>(tips.size()), 0.5, 0.02);
}

TEST(RegionPoses, AreNoneBeyondReach) {
  PoseSequence sequence = sequenceOf(RotationKind::kExact);
  sequence.lower[2] = 5.0;
  sequence.upper[2] = 6.0;
  EXPECT_FALSE(RegionAbout::of(sequence, kTarget.data()).within_reach);
}

TEST(RegionPoses, FillAConeEvenly) {
  constexpr double kHalfAngle = 0.6;
  for (int axis = 0; axis < 3; ++axis) {
    PoseSequence sequence = sequenceOf(RotationKind::kCone);
    sequence.cone_axis = axis;
    sequence.cosine = std::cos(kHalfAngle);
    const auto at = static_cast<std::size_t>(4 * axis);
    const std::vector<TipInTarget> tips = tipsOf(posesOf(placeKernels().front(), sequence, 100));
    int inner = 0;
    for (const TipInTarget& tip : tips) {
      EXPECT_LT(defectOf(tip.rotation), 1e-14);
      const double tilt = std::acos(std::min(1.0, tip.rotation[at]));
      EXPECT_LE(tilt, kHalfAngle + 1e-9);
      inner += tip.rotation[at] > 0.5 * (1.0 + sequence.cosine) ? 1 : 0;
    }
    // Half of the cap's area lies nearer to its middle.
    EXPECT_NEAR(inner / static_cast<double>(tips.size()), 0.5, 0.02);
  }
}

TEST(RegionPoses, TurnAboutTheAxisOfAConeWithoutAngle) {
  std::array<int, 4> quarters{};
  for (const TipInTarget& tip :
       tipsOf(posesOf(placeKernels().front(), sequenceOf(RotationKind::kCone), 100))) {
    EXPECT_NEAR(tip.rotation[8], 1.0, 1e-14);
    const double angle = std::atan2(tip.rotation[3], tip.rotation[0]) + kPi;
    ++quarters[std::min<std::size_t>(3, static_cast<std::size_t>(angle * 2.0 / kPi))];
  }
  for (const int quarter : quarters) {
    EXPECT_NEAR(quarter, 200, 10);
  }
}

TEST(RegionPoses, HaveAllRotationsWhereTheyAreFree) {
  const std::vector<TipInTarget> tips =
      tipsOf(posesOf(placeKernels().front(), sequenceOf(RotationKind::kFree), 400));
  Matrix mean{};
  for (const TipInTarget& tip : tips) {
    EXPECT_LT(defectOf(tip.rotation), 1e-14);
    for (std::size_t i = 0; i < 9; ++i) {
      mean[i] += tip.rotation[i] / static_cast<double>(tips.size());
    }
  }
  for (const double element : mean) {
    EXPECT_NEAR(element, 0.0, 0.02);
  }
}

TEST(RegionPoses, KeepBoundsOfRollPitchAndYaw) {
  PoseSequence sequence = sequenceOf(RotationKind::kAngles);
  const std::array<double, 3> lower = {-0.4, 0.2, 2.0};
  const std::array<double, 3> upper = {0.3, 0.2, 2.5};
  std::copy(lower.begin(), lower.end(), sequence.lower + 3);
  std::copy(upper.begin(), upper.end(), sequence.upper + 3);
  for (const TipInTarget& tip : tipsOf(posesOf(placeKernels().front(), sequence, 50))) {
    const Matrix& r = tip.rotation;
    const std::array<double, 3> angles = {std::atan2(r[7], r[8]), std::asin(-r[6]),
                                          std::atan2(r[3], r[0])};
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_GE(angles[i], lower[i] - 1e-9);
      EXPECT_LE(angles[i], upper[i] + 1e-9);
    }
  }
}

TEST(RegionPoses, AreTheSameByEverySetOfInstructions) {
  // Some round the sum of a product and a number once, of points that lie some hundred apart.
  constexpr double kRounding = 1e-12;
  const closed_form::LockedJoint joint = {0,   false,  {0.0, 0.6, 0.8}, {0.1, 0.2, -0.3},
                                          1.0, kReach, {0.0, 0.0, 0.0}};
  for (const auto kind :
       {RotationKind::kExact, RotationKind::kFree, RotationKind::kCone, RotationKind::kAngles}) {
    PoseSequence sequence = sequenceOf(kind);
    sequence.cosine = 0.9;
    sequence.upper[1] = sequence.upper[4] = 0.5;
    for (const TurnedAway& turned :
         {TurnedAway{nullptr, 0.0, 0.0}, TurnedAway{&joint, -2.0, 1.0}}) {
      const std::vector<EightPoses> expected =
          posesOf(place(simd::Baseline{}), sequence, 3, turned);
      for (const PlaceKernel kernel : placeKernels()) {
        const std::vector<EightPoses> poses = posesOf(kernel, sequence, 3, turned);
        for (std::size_t b = 0; b < poses.size(); ++b) {
          for (int lane = 0; lane < EightPoses::kCount; ++lane) {
            EXPECT_NEAR(poses[b].share[lane], expected[b].share[lane], kRounding);
            for (int i = 0; i < 9; ++i) {
              EXPECT_NEAR(poses[b].rows[i][lane], expected[b].rows[i][lane], kRounding);
            }
            for (int i = 0; i < 3; ++i) {
              EXPECT_NEAR(poses[b].origin[i][lane], expected[b].origin[i][lane], kRounding);
            }
          }
        }
      }
    }
  }
}

TEST(RegionPoses, AreWhereOthersBringTheTipIfAJointTakesPartOfTheWay) {
  using closed_form::TipPose;
  for (const int index : {0, 6}) {
    const closed_form::LockedJoint joint = {index, false,  {0.0, 0.6, 0.8}, {0.1, 0.2, -0.3},
                                            1.0,   kReach, {0.0, 0.0, 0.0}};
    const PoseSequence sequence = sequenceOf(RotationKind::kFree);
    const std::vector<EightPoses> whole = posesOf(placeKernels().front(), sequence, 2);
    const std::vector<EightPoses> parts =
        posesOf(placeKernels().front(), sequence, 2, {&joint, -2.0, 1.0});
    for (std::size_t b = 0; b < whole.size(); ++b) {
      for (int lane = 0; lane < EightPoses::kCount; ++lane) {
        const double angle = -2.0 + 3.0 * whole[b].share[lane];
        Pose pose{};
        Pose part{};
        whole[b].write(lane, pose.data());
        parts[b].write(lane, part.data());
        const TipPose<double> expected =
            poseWithout(joint, TipPose<double>::of(pose.data()), angle);
        EXPECT_NEAR(part[3], expected.origin.x, 1e-13);
        EXPECT_NEAR(part[7], expected.origin.y, 1e-13);
        EXPECT_NEAR(part[0], expected.rows[0].x, 1e-13);
        EXPECT_NEAR(part[9], expected.rows[2].y, 1e-13);
      }
    }
  }
}

}  // namespace
}  // namespace generative_ik::regions

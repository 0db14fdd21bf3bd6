// Independent forward kinematics against answers worked out by hand, with every set of
// instructions.
#include "../src/verify/verifier.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "../src/simd/constants.hpp"
#include "../src/verify/placer.hpp"
#include "../src/verify/pose_check.hpp"

namespace generative_ik::verify {
namespace {

// A joint that turns about z, whose arm of 1 m carries one that slides along x, and a tip 0.5 m
// further on. Column i of a cross product matrix is axis x e_i.
struct TurnAndSlide {
  std::array<double, 18> rotations = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  std::array<double, 18> sine_part = {0, -1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 1, 0};
  std::array<double, 18> versine_part = {-1, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, -1};
  std::array<double, 6> shifts = {0, 0, 0.2, 1, 0, 0};
  std::array<double, 6> axes = {0, 0, 1, 1, 0, 0};
  std::array<std::int64_t, 2> prismatic = {0, 1};
  std::array<std::int64_t, 2> variable = {0, 1};
  std::array<double, 2> multiplier = {1, 1};
  std::array<double, 2> offset = {0, 0};
  std::array<double, 16> tip = {1, 0, 0, 0.5, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

  [[nodiscard]] RodriguesChain chain() const {
    return {2,           rotations.data(), sine_part.data(), versine_part.data(), shifts.data(),
            axes.data(), prismatic.data(), variable.data(),  multiplier.data(),   offset.data(),
            tip.data()};
  }
};

// Where the tip is when the arm has turned by 90 degrees and slid by 0.3 m.
constexpr std::array<double, 16> kTarget = {0, -1, 0, 0, 1, 0, 0, 1.8, 0, 0, 1, 0.2, 0, 0, 0, 1};

TEST(Verifier, MeasuresDistanceAndAngle) {
  const TurnAndSlide arm;
  const std::array<double, 2> reached = {kPi / 2.0, 0.3};
  EXPECT_NEAR(gapOf(arm.chain(), reached.data(), kTarget.data()).distance, 0.0, 1e-15);
  EXPECT_NEAR(gapOf(arm.chain(), reached.data(), kTarget.data()).angle, 0.0, 1e-15);
  const std::array<double, 2> further = {kPi / 2.0, 0.4};
  EXPECT_NEAR(gapOf(arm.chain(), further.data(), kTarget.data()).distance, 0.1, 1e-15);
  const std::array<double, 2> opposite = {-kPi / 2.0, -3.3};
  EXPECT_NEAR(gapOf(arm.chain(), opposite.data(), kTarget.data()).distance, 0.0, 1e-14);
  EXPECT_NEAR(gapOf(arm.chain(), opposite.data(), kTarget.data()).angle, kPi, 1e-7);
}

TEST(Verifier, MeasuresAlikeWithEverySetOfInstructions) {
  const TurnAndSlide arm;
  const RodriguesChain chain = arm.chain();
  std::vector<double> positions;
  std::vector<std::int64_t> which;
  // Beyond a turn, too.
  for (int k = 0; k < 19; ++k) {
    positions.insert(positions.end(), {k - 9.5, 0.1 * k});
    which.push_back(k % 2);
  }
  std::vector<double> targets(kTarget.begin(), kTarget.end());
  targets.insert(targets.end(), {1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1});
  const Configurations rows = {positions.data(), 2, 19, targets.data(), which.data()};
  for (const MeasureKernel kernel : measureKernels()) {
    std::vector<PoseGap> gaps(19);
    kernel(chain, rows, gaps.data());
    for (std::size_t k = 0; k < gaps.size(); ++k) {
      const PoseGap expected =
          gapOf(chain, positions.data() + 2 * k, targets.data() + 16 * which[k]);
      EXPECT_NEAR(gaps[k].distance, expected.distance, 1e-14);
      EXPECT_NEAR(gaps[k].angle, expected.angle, 1e-7);
    }
  }
}

TEST(Verifier, MeasuresOneAlikeWithEverySetOfInstructions) {
  const TurnAndSlide arm;
  for (const MeasureOneKernel kernel : measureOneKernels()) {
    for (int k = 0; k < 19; ++k) {
      const std::array<double, 2> q = {k - 9.5, 0.1 * k};
      const PoseGap gap = kernel(arm.chain(), q.data(), kTarget.data());
      const PoseGap expected = gapOf(arm.chain(), q.data(), kTarget.data());
      EXPECT_NEAR(gap.distance, expected.distance, 1e-14);
      EXPECT_NEAR(gap.angle, expected.angle, 1e-7);
    }
  }
}

TEST(Verifier, PlacesTips) {
  const TurnAndSlide arm;
  // Five rows, more than lanes of two or four; the last one reaches the target.
  std::vector<double> positions(10, 0.0);
  positions[8] = kPi / 2.0;
  positions[9] = 0.3;
  std::vector<double> poses(80);
  placeTips(arm.chain(), {positions.data(), 5, 2}, poses.data());
  EXPECT_NEAR(poses[3], 1.5, 1e-15);
  EXPECT_NEAR(poses[11], 0.2, 1e-15);
  for (std::size_t k = 0; k < kTarget.size(); ++k) {
    EXPECT_NEAR(poses[64 + k], kTarget[k], 1e-15);
  }
}

TEST(Verifier, PlacesTipsInTheirReferences) {
  const TurnAndSlide arm;
  RodriguesTree tree{};
  tree.joints = arm.chain();
  // The tip is carried by the second joint, the reference by the first.
  const std::array<std::int64_t, 2> begin = {-1, RodriguesTree::kBefore};
  const std::array<std::int64_t, 2> slot = {0, 1};
  const std::int64_t tip_slot = 1;
  const std::int64_t reference_slot = 0;
  const std::array<double, 16> identity = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  tree.num_goals = 1;
  tree.begin = begin.data();
  tree.slot = slot.data();
  tree.tip_slot = &tip_slot;
  tree.tip = arm.tip.data();
  tree.reference_slot = &reference_slot;
  tree.reference = identity.data();
  ASSERT_TRUE(countSlots(tree));
  const std::array<double, 2> q = {1.1, 0.3};
  std::array<double, 16> pose{};
  placeTips(tree, {q.data(), 1, 2}, pose.data());
  std::array<double, 16> expected = identity;
  expected[3] = 1.8;
  for (std::size_t k = 0; k < pose.size(); ++k) {
    EXPECT_NEAR(pose[k], expected[k], 1e-15);
  }
}

TEST(Verifier, KnowsSineAndVersineOfAnyAngle) {
  for (double angle = -40.0; angle < 40.0; angle += 0.37) {
    double sine = 0.0;
    double versine = 0.0;
    sineAndVersine(angle, sine, versine);
    EXPECT_NEAR(sine, std::sin(angle), 1e-14);
    EXPECT_NEAR(versine, 1.0 - std::cos(angle), 1e-14);
  }
}

TEST(PoseCheck, TellsPosesFromOtherMatrices) {
  std::array<double, 16> pose = kTarget;
  EXPECT_TRUE(isPose(pose.data()));
  pose[15] = 2.0;
  EXPECT_FALSE(isPose(pose.data()));
  pose = kTarget;
  pose[3] = std::nan("");
  EXPECT_FALSE(isPose(pose.data()));
  pose = kTarget;
  pose[10] = -1.0;
  EXPECT_TRUE(poseDefect(pose.data()).reflected);
  EXPECT_FALSE(isPose(pose.data()));
  pose = kTarget;
  pose[1] = -1.001;
  EXPECT_NEAR(poseDefect(pose.data()).orthonormality, 0.002001, 1e-9);
}

TEST(PoseCheck, OneOfManyThatIsNoneIsFound) {
  constexpr std::int64_t kCount = 20'000;
  std::vector<double> poses;
  for (std::int64_t t = 0; t < kCount; ++t) {
    for (int i = 0; i < 16; ++i) {
      poses.push_back(i % 5 == 0 ? 1.0 : 0.0);
    }
  }
  EXPECT_TRUE(arePoses(poses.data(), kCount));
  for (const std::int64_t t : {std::int64_t{0}, std::int64_t{4096}, kCount - 1}) {
    double& number = poses[static_cast<std::size_t>(16 * t)];
    number = 1.1;
    EXPECT_FALSE(arePoses(poses.data(), kCount));
    EXPECT_TRUE(arePoses(poses.data(), t));
    number = 1.0;
  }
}

}  // namespace
}  // namespace generative_ik::verify

// Poses of regions lie all over them, and solutions at these poses are right and distinct.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "../src/regions/surface_answers.hpp"
#include "../src/select/full_turns.hpp"
#include "../src/simd/constants.hpp"
#include "../src/verify/rodrigues.hpp"
#include "arms.hpp"

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

constexpr double kHalfAngle = 0.4;
constexpr double kDistance = 0.05;

/// A cone about the tip's z axis, as Python packs it.
std::vector<double> coneNumbers() {
  std::vector<double> numbers(PoseSequence::kSize, 0.0);
  numbers[0] = 2.0;
  numbers[1] = 2.0;
  numbers[2] = std::cos(kHalfAngle);
  numbers[3] = 1e3;
  for (std::size_t i = 3; i < 6; ++i) {
    numbers[16 + i] = 0.2;
    numbers[23 + i] = std::sqrt(static_cast<double>(i));
  }
  return numbers;
}

template <std::size_t kSize>
SurfaceProblem problemOf(const test::ArmOf<kSize>& arm, const std::vector<double>& region) {
  return {test::formOf(arm), arm.parameters, region,
          arm.floats,        arm.ints,       test::boundsOf<answers::kCurveJoints>(arm),
          kDistance};
}

struct Answers {
  std::vector<answers::Note> notes;
  std::vector<double> positions;
  std::vector<answers::PoseGap> gaps;
};

template <std::size_t kSize>
Answers answersOf(const SurfaceProblem& problem, const test::ArmOf<kSize>& arm,
                  std::int64_t wanted, bool in_threads) {
  std::vector<double> poses;
  for (const test::PoseOf<kSize>& pose : arm.poses) {
    poses.insert(poses.end(), pose.tip, pose.tip + 16);
  }
  const auto count = std::ssize(arm.poses);
  Answers found;
  found.notes.resize(arm.poses.size());
  found.positions.resize(static_cast<std::size_t>(count * wanted * problem.numJoints()));
  found.gaps.resize(static_cast<std::size_t>(count * wanted));
  const answers::Targets targets = {
      poses.data(), found.notes.data(), found.positions.data(), found.gaps.data(),
      wanted,       problem.numJoints()};
  if (in_threads) {
    answerAll(problem, targets, count, {});
  } else {
    SurfaceAnswerer answerer(problem, wanted);
    answers::answerSome(answerer, targets, 0, count);
  }
  return found;
}

bool isDone(const answers::Note& note) {
  return note.state == static_cast<std::int64_t>(answers::State::kDone);
}

/// Where a configuration has the tip, seen from a target.
TipInTarget placed(const SurfaceProblem& problem, const double* q, const double* target) {
  const auto frame =
      verify::placeTip<double>(problem.chain.verifier(), [q](std::int64_t v) { return q[v]; });
  Pose tip{};
  const std::array<double, 3> places = {frame.origin.x, frame.origin.y, frame.origin.z};
  for (std::size_t i = 0; i < 3; ++i) {
    tip[4 * i] = frame.rows[i].x;
    tip[4 * i + 1] = frame.rows[i].y;
    tip[4 * i + 2] = frame.rows[i].z;
    tip[4 * i + 3] = places[i];
  }
  return tipInTarget(tip, target);
}

int countDuplicates(const SurfaceProblem& problem, const double* rows, std::int64_t count) {
  int same = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    for (std::int64_t other = 0; other < k; ++other) {
      same += answers::isSame(rows + problem.numJoints() * k, rows + problem.numJoints() * other,
                              problem.numJoints(), problem.bounds.circular, kDistance)
                  ? 1
                  : 0;
    }
  }
  return same;
}

/// Expects distinct solutions inside the region; returns how many poses are answered.
template <std::size_t kSize>
int countAnswered(test::ArmOf<kSize> arm) {
  constexpr std::int64_t kWanted = 20;
  constexpr std::size_t kPoses = 20;
  arm.poses.resize(kPoses);
  const SurfaceProblem problem = problemOf(arm, coneNumbers());
  const Answers found = answersOf(problem, arm, kWanted, false);
  int done = 0;
  for (std::size_t t = 0; t < kPoses; ++t) {
    if (!isDone(found.notes[t])) {
      continue;
    }
    ++done;
    const double* rows = &found.positions[t * kWanted * kSize];
    for (std::size_t k = 0; k < kWanted; ++k) {
      const double* q = rows + kSize * k;
      const TipInTarget seen = placed(problem, q, arm.poses[t].tip);
      EXPECT_LE(std::acos(std::min(1.0, seen.rotation[8])), kHalfAngle + 1e-5);
      for (std::size_t v = 0; v < kSize; ++v) {
        EXPECT_LE(arm.lower[v], q[v]);
        EXPECT_LE(q[v], arm.upper[v]);
        EXPECT_NEAR(seen.place[v % 3], 0.0, 1e-5);
      }
    }
    EXPECT_EQ(countDuplicates(problem, rows, kWanted), 0);
  }
  return done;
}

TEST(SurfaceAnswers, AreDistinctSolutionsInsideTheRegion) {
  const std::vector<test::Arm> arms = test::readArms();
  if (arms.empty()) {
    GTEST_SKIP() << "no GENERATIVE_IK_CLOSED_FORMS_FILE";
  }
  int done = 0;
  for (const test::Arm& arm : arms) {
    done += countAnswered(arm);
  }
  EXPECT_GT(done, 6 * std::ssize(arms));
}

TEST(SurfaceAnswers, AreThoseOfSevenJointsWithOneLocked) {
  for (const test::SevenJoints& arm : test::readLockedArms()) {
    EXPECT_GT(countAnswered(arm), 10);
  }
}

TEST(SurfaceAnswers, AreDistinctWhereTooManyAreWantedToRankThemAll) {
  constexpr std::int64_t kMany = 1000;
  int done = 0;
  for (test::SevenJoints arm : test::readLockedArms()) {
    arm.poses.resize(6);
    const SurfaceProblem problem = problemOf(arm, coneNumbers());
    const Answers found = answersOf(problem, arm, kMany, true);
    for (std::size_t t = 0; t < arm.poses.size(); ++t) {
      if (isDone(found.notes[t])) {
        ++done;
        const double* rows = &found.positions[t * kMany * (test::kJoints + 1)];
        EXPECT_EQ(countDuplicates(problem, rows, kMany), 0) << arm.family << " " << t;
      }
    }
  }
  EXPECT_TRUE(done > 3 || test::readLockedArms().empty());
}

TEST(SurfaceAnswers, AreTheSameByAnyNumberOfThreads) {
  for (test::Arm arm : test::readArms()) {
    arm.poses.resize(20);
    const SurfaceProblem problem = problemOf(arm, coneNumbers());
    const Answers one = answersOf(problem, arm, 5, false);
    const Answers many = answersOf(problem, arm, 5, true);
    for (std::size_t t = 0; t < one.notes.size(); ++t) {
      EXPECT_EQ(one.notes[t].state, many.notes[t].state);
      EXPECT_EQ(one.notes[t].branches, many.notes[t].branches);
      const auto first = one.positions.begin() + static_cast<std::ptrdiff_t>(30 * t);
      if (isDone(one.notes[t])) {
        EXPECT_TRUE(std::equal(first, first + 30,
                               many.positions.begin() + static_cast<std::ptrdiff_t>(30 * t)));
      }
    }
  }
}

TEST(SurfaceAnswers, AreNotGivenByWrongNumbers) {
  for (const test::Arm& arm : test::readArms()) {
    std::vector<double> region = coneNumbers();
    region.pop_back();
    EXPECT_THROW(problemOf(arm, region), std::invalid_argument);
    region.push_back(std::nan(""));
    EXPECT_THROW(problemOf(arm, region), std::invalid_argument);
    test::Arm other = arm;
    other.parameters.resize(3);
    EXPECT_THROW(problemOf(other, coneNumbers()), std::invalid_argument);
  }
}

}  // namespace
}  // namespace generative_ik::regions

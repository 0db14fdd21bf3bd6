// Solutions on the curves of redundant arms: by any number of threads, as the first ones of a
// search. That they are right, distinct and all over the curves is tested in
// test/core/test_seven_joints.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "../src/answers/curve_answer.hpp"
#include "../src/answers/search_begin.hpp"
#include "../src/select/full_turns.hpp"
#include "../src/simd/constants.hpp"
#include "arms.hpp"

namespace generative_ik::answers {
namespace {

using closed_form::TipPose;
using test::SevenJoints;

constexpr double kDistinct = 0.05;
constexpr double kExact = 1e-8;

const ClosedForm& formOf(const std::string& family) {
  const std::vector<ClosedForm>& all = closedForms();
  return *std::find_if(all.begin(), all.end(),
                       [&family](const ClosedForm& one) { return one.name == family; });
}

CurveBounds boundsOf(const SevenJoints& arm) {
  CurveBounds bounds{};
  for (int v = 0; v < kCurveJoints; ++v) {
    // A continuous joint may turn half a turn either way.
    const bool continuous = arm.upper[v] == kInfinity;
    bounds.soft_lower[v] = bounds.lower_limit[v] = arm.lower[v];
    bounds.soft_upper[v] = bounds.upper_limit[v] = arm.upper[v];
    bounds.lower[v] = continuous ? -kTurn / 2.0 : arm.lower[v];
    bounds.upper[v] = continuous ? kTurn / 2.0 : arm.upper[v];
    bounds.periodic[v] = arm.periodic[v] != 0.0;
    bounds.circular[v] = bounds.periodic[v] && bounds.upper[v] - bounds.lower[v] >= kTurn;
    bounds.unit[v] = 1.0;
  }
  return bounds;
}

class Curves {
 public:
  explicit Curves(const SevenJoints& arm)
      : arm_(arm),
        problem_(formOf(arm.family), arm.parameters, arm.floats, arm.ints, boundsOf(arm),
                 kDistinct) {}

  [[nodiscard]] const CurveProblem& problem() const { return problem_; }

  [[nodiscard]] std::vector<double> poses() const {
    std::vector<double> poses;
    for (const auto& pose : arm_.poses) {
      poses.insert(poses.end(), pose.tip, pose.tip + 16);
    }
    return poses;
  }

 private:
  const SevenJoints& arm_;
  CurveProblem problem_;
};

struct CurveAnswers {
  std::vector<Note> notes;
  std::vector<double> positions;
  std::vector<PoseGap> gaps;
  std::int64_t wanted;

  [[nodiscard]] std::int64_t countOf(std::size_t t) const {
    return notes[t].state == static_cast<std::int64_t>(State::kDone) ? notes[t].count : 0;
  }
  [[nodiscard]] const double* row(std::size_t t, std::int64_t k) const {
    return positions.data() + (static_cast<std::int64_t>(t) * wanted + k) * kCurveJoints;
  }
};

CurveAnswers answersOf(const Curves& curves, std::int64_t wanted, bool in_threads) {
  const std::vector<double> poses = curves.poses();
  const std::int64_t count = std::ssize(poses) / 16;
  CurveAnswers answers;
  answers.wanted = wanted;
  answers.notes.resize(static_cast<std::size_t>(count));
  answers.positions.resize(static_cast<std::size_t>(count * wanted * kCurveJoints), kInfinity);
  answers.gaps.resize(static_cast<std::size_t>(count * wanted));
  const Targets targets = {
      poses.data(), answers.notes.data(), answers.positions.data(), answers.gaps.data(),
      wanted,       kCurveJoints};
  if (in_threads) {
    answerAll(curves.problem(), targets, count, {});
  } else {
    CurveAnswerer answerer(curves.problem(), curveMemory());
    answerSome(answerer, targets, 0, count);
  }
  return answers;
}

class CurvesTest : public testing::Test {
 protected:
  void SetUp() override {
    if (arms_.empty()) {
      GTEST_SKIP() << "no GENERATIVE_IK_LOCKED_JOINTS_FILE";
    }
  }

  const std::vector<SevenJoints> arms_ = test::readLockedArms();
};

TEST_F(CurvesTest, SolutionsAreTheSameByAnyNumberOfThreads) {
  for (const SevenJoints& arm : arms_) {
    const Curves curves(arm);
    const CurveAnswers one = answersOf(curves, 20, false);
    const CurveAnswers many = answersOf(curves, 20, true);
    for (std::size_t t = 0; t < one.notes.size(); ++t) {
      ASSERT_EQ(one.notes[t].state, many.notes[t].state);
      ASSERT_EQ(one.countOf(t), many.countOf(t));
      EXPECT_TRUE(std::equal(one.row(t, 0), one.row(t, one.countOf(t)), many.row(t, 0)));
    }
  }
}

TEST_F(CurvesTest, WrongNumbersAreRefused) {
  const SevenJoints& arm = arms_.front();
  const auto make = [&arm](const std::vector<double>& parameters, std::vector<double> floats,
                           double distance) {
    CurveProblem(formOf(arm.family), parameters, std::move(floats), arm.ints, boundsOf(arm),
                 distance);
  };
  EXPECT_NO_THROW(make(arm.parameters, arm.floats, kDistinct));
  EXPECT_THROW(make(arm.parameters, arm.floats, 0.0), std::invalid_argument);
  EXPECT_THROW(make({}, arm.floats, kDistinct), std::invalid_argument);
  std::vector<double> middle = arm.parameters;
  middle[0] = 3.0;
  EXPECT_THROW(make(middle, arm.floats, kDistinct), std::invalid_argument);
  EXPECT_THROW(make(arm.parameters, {1.0}, kDistinct), std::invalid_argument);
}

TEST_F(CurvesTest, RoughRowsBecomeExactAndTargetsMoveWithThem) {
  std::mt19937 random(0);
  std::uniform_real_distribution<double> off(-1e-4, 1e-4);
  const SevenJoints& arm = arms_.front();
  const Curves curves(arm);
  const ChainNumbers& chain = curves.problem().chain;
  std::vector<double> targets = curves.poses();
  const std::int64_t count = std::ssize(targets) / 16;
  std::vector<double> positions;
  for (const auto& pose : arm.poses) {
    for (const double q : pose.known) {
      positions.push_back(q + off(random));
    }
  }
  // One row in the middle is nowhere near its target.
  positions[5 * kCurveJoints + 3] += 0.5;
  const std::vector<double> there = targets;
  std::vector<PoseGap> gaps(static_cast<std::size_t>(count));
  const std::vector<double> lower(kCurveJoints, -kInfinity);
  const std::vector<double> upper(kCurveJoints, kInfinity);
  const RowBounds bounds = {lower.data(), upper.data(), curves.problem().bounds.circular,
                            kDistinct, kExact};
  RowMemory memory;
  const std::int64_t kept = keepExact(chain, bounds, {nullptr, targets.data()}, count, 0,
                                      {positions.data(), kCurveJoints, gaps.data()}, memory);
  EXPECT_EQ(kept, count - 1);
  for (std::int64_t k = 0; k < kept; ++k) {
    EXPECT_LE(gaps[static_cast<std::size_t>(k)].distance, 1e-8);
    const std::int64_t from = k < 5 ? k : k + 1;
    EXPECT_TRUE(std::equal(targets.begin() + 16 * k, targets.begin() + 16 * (k + 1),
                           there.begin() + 16 * from));
  }
}

// The pool of a search for one target, without memory of its own elsewhere.
struct OnePool {
  static constexpr std::int64_t kCapacity = 400;

  std::vector<std::int64_t> grid_ints = std::vector<std::int64_t>(19, 0);
  std::vector<double> grid_floats = std::vector<double>(7, 0.0);
  std::vector<double> positions = std::vector<double>(kCapacity * kCurveJoints);
  std::vector<search::SolutionNotes> notes = std::vector<search::SolutionNotes>(kCapacity);
  std::vector<std::int64_t> visits = std::vector<std::int64_t>(kCapacity);
  std::vector<std::int32_t> heads = std::vector<std::int32_t>(64, -1);
  std::vector<std::int32_t> before = std::vector<std::int32_t>(kCapacity, -1);
  std::vector<double> box = std::vector<double>(7 * kCurveJoints, 0.0);
  std::int64_t count = 0;
  search::Target target{};
  search::Run run{};

  explicit OnePool(const CurveBounds& bounds) {
    grid_floats[0] = kDistinct;
    for (int k = 0; k < 6; ++k) {
      grid_floats[static_cast<std::size_t>(k) + 1] = 1.0 / (8.0 * kDistinct);
      grid_ints[static_cast<std::size_t>(k)] = k;
    }
    for (int v = 0; v < kCurveJoints; ++v) {
      const auto at = static_cast<std::size_t>(v);
      grid_ints[12 + at] = bounds.circular[v] ? 1 : 0;
      box[at] = bounds.lower[v];
      box[kCurveJoints + at] = bounds.upper[v];
    }
    run.last = 1;
    run.most_colliding = 100;
  }

  [[nodiscard]] search::SearchArrays arrays() {
    search::SearchArrays arrays{};
    arrays.box = search::Box::of(box.data(), kCurveJoints);
    arrays.pool.grid = search::Grid::of(grid_floats.data(), grid_ints.data());
    arrays.pool.size = kCurveJoints;
    arrays.pool.capacity = kCapacity;
    arrays.pool.buckets = std::ssize(heads);
    arrays.pool.positions = positions.data();
    arrays.pool.errors = notes.data();
    arrays.pool.visits = visits.data();
    arrays.pool.counts = &count;
    arrays.pool.heads = heads.data();
    arrays.pool.before = before.data();
    arrays.targets = &target;
    arrays.run = &run;
    return arrays;
  }
};

// Whatever lies above a joint's position of 0 collides.
Verdict collidesAboveZero(const double* q) {
  return q[3] > 0.0 ? Verdict::kColliding : Verdict::kFree;
}

TEST_F(CurvesTest, ASearchBeginsWithThoseThatAreFree) {
  constexpr std::int64_t kWanted = 20;
  int closed = 0;
  for (const SevenJoints& arm : arms_) {
    const Curves curves(arm);
    const std::vector<double> poses = curves.poses();
    for (std::int64_t t = 0; t < 5; ++t) {
      OnePool pool(curves.problem().bounds);
      const CollisionCheck check = &collidesAboveZero;
      search::SearchArrays arrays = pool.arrays();
      arrays.check = &check;
      beginWithCurves(curves.problem(), {poses.data() + 16 * t, arrays, 0, 1},
                      {kWanted, kWanted, false}, {});
      std::int64_t free = 0;
      std::int64_t colliding = 0;
      for (std::int64_t k = 0; k < pool.count; ++k) {
        const bool above = pool.positions[static_cast<std::size_t>(k * kCurveJoints + 3)] > 0.0;
        EXPECT_EQ(pool.notes[static_cast<std::size_t>(k)].collides(), above);
        free += above ? 0 : 1;
        colliding += above ? 1 : 0;
      }
      EXPECT_EQ(pool.target.free, free);
      EXPECT_LE(free, kWanted);
      EXPECT_LE(colliding, pool.run.most_colliding);
      EXPECT_TRUE(!pool.target.closed || free > 0);
      closed += pool.target.closed && free == kWanted ? 1 : 0;
    }
  }
  EXPECT_GT(closed, 0);
}

TEST(LockedJoint, MovesTheTargetAsItMovesTheTip) {
  // A screw about an axis through a point turns the base or the tip; turned back, it is undone.
  LockedJoint joint{};
  joint.axis = {0.6, 0.0, 0.8};
  joint.point = {0.1, -0.2, 0.3};
  joint.unit = 1.0;
  joint.reach = kInfinity;
  const TipPose<double> pose = {{{0.0, -1.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}},
                                {0.5, 0.4, -0.3}};
  for (const bool prismatic : {false, true}) {
    for (const int index : {0, 6}) {
      joint.prismatic = prismatic;
      joint.index = index;
      const TipPose<double> back =
          closed_form::poseWithout(joint, closed_form::poseWithout(joint, pose, 0.7), -0.7);
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(lengthOf(back.rows[i] - pose.rows[i]), 0.0, 1e-14);
      }
      EXPECT_NEAR(lengthOf(back.origin - pose.origin), 0.0, 1e-14);
    }
  }
  // The point on the axis stays where it is when the base is turned.
  joint.prismatic = false;
  joint.index = 0;
  const TipPose<double> at_point = {{pose.rows[0], pose.rows[1], pose.rows[2]}, joint.point};
  EXPECT_NEAR(lengthOf(closed_form::poseWithout(joint, at_point, 1.1).origin - joint.point), 0.0,
              1e-14);
}

TEST(LockedJoint, LinesAndReachBoundWhatIsSampled) {
  LockedJoint rail{};
  rail.index = 0;
  rail.prismatic = true;
  rail.axis = {1.0, 0.0, 0.0};
  rail.unit = 0.5;
  rail.reach = 1.0;
  rail.start = {0.0, 0.0, 0.2};
  TipPose<double> pose = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, {2.0, 0.6, 0.2}};
  const auto [lower, upper] = closed_form::boundsWithinReach(rail, pose, {-5.0, 5.0});
  EXPECT_NEAR(lower, 1.2, 2e-3);
  EXPECT_NEAR(upper, 2.8, 2e-3);
  pose.origin.y = 1.1;
  const auto nowhere = closed_form::boundsWithinReach(rail, pose, {-5.0, 5.0});
  EXPECT_EQ(nowhere.lower, nowhere.upper);
  EXPECT_EQ(closed_form::leverOf(rail), 1.0);
}

}  // namespace
}  // namespace generative_ik::answers

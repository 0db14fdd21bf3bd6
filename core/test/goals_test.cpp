// Several tips and regions: the local solver against the independent verification, and by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <stdexcept>

#include "../src/local_solver/kernel_of.hpp"
#include "../src/local_solver/lane_kernels.hpp"
#include "../src/solver/joint_tree.hpp"
#include "goal_trees.hpp"

namespace generative_ik::test {
namespace {

using search::GoalNumbers;
using search::GoalProblem;
using search::Verification;

constexpr int kSteps = 40;
constexpr std::array<double, 6> kFree = {-1.0, -1.0, -1.0, -4.0, -4.0, -4.0};

// A problem with memory, and lanes near a configuration whose tips are the targets.
class Solved {
 public:
  explicit Solved(const TwoArms& arms, const LaneKernel& kernel = laneKernels().front())
      : arms_(arms) {
    EXPECT_TRUE(numbers_.read(arms_.packed()));
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    known_.resize(TwoArms::kJoints);
    for (double& q : known_) {
      q = uniform(random);
    }
    targets_ = arms_.poses(known_);
    memory_.resize(static_cast<std::size_t>(GoalProblem::countRows(numbers_)));
    problem_.emplace(numbers_, targets_.data(), memory_.data(), kernel);
    problem_->clear();
    for (int lane = 0; lane < kLanes; ++lane) {
      problem_->load(lane, 0);
      for (std::size_t v = 0; v < TwoArms::kJoints; ++v) {
        problem().rows().q[v].lane[lane] = known_[v] + 0.3 * uniform(random);
      }
      problem().rows().moving->lane[lane] = 1.0;
    }
  }

  [[nodiscard]] const GoalProblem& problem() const { return *problem_; }

  void steps(int count) const {
    const std::vector<double> bound(TwoArms::kJoints, std::numeric_limits<double>::infinity());
    std::vector<double> lower;
    for (const double b : bound) {
      lower.push_back(-b);
    }
    for (int step = 0; step < count; ++step) {
      problem().measure();
      problem().advance(lower.data(), bound.data());
    }
    problem().measure();
  }

  [[nodiscard]] std::vector<double> configuration(int lane) const {
    std::vector<double> q;
    for (std::size_t v = 0; v < TwoArms::kJoints; ++v) {
      q.push_back(problem().rows().q[v].lane[lane]);
    }
    return q;
  }

  [[nodiscard]] Verification verify(int lane) const {
    return problem().verify(configuration(lane).data(), 0);
  }

  // How many of the lanes have come to a solution.
  [[nodiscard]] int solved() const {
    int count = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      count += verify(lane).exact ? 1 : 0;
    }
    return count;
  }

 private:
  TwoArms arms_;
  GoalNumbers numbers_{};
  std::vector<double> known_;
  std::vector<double> targets_;
  std::vector<LaneRow> memory_;
  std::optional<GoalProblem> problem_;
};

void expectErrorsOfVerification(const Solved& solved) {
  for (int lane = 0; lane < kLanes; ++lane) {
    const Verification found = solved.verify(lane);
    EXPECT_NEAR(solved.problem().rows().position_error->lane[lane], found.position, 1e-9);
    EXPECT_NEAR(solved.problem().rows().orientation_error->lane[lane],
                2.0 * std::sin(found.angle / 2.0), 1e-7);
  }
}

TEST(Goals, BothKinematicsMeasureTheSame) {
  const Solved solved{TwoArms()};
  solved.problem().measure();
  expectErrorsOfVerification(solved);
}

TEST(Goals, StepsComeToBothPoses) {
  const Solved solved{TwoArms()};
  EXPECT_EQ(solved.solved(), 0);
  solved.steps(kSteps);
  EXPECT_GE(solved.solved(), 6);
  expectErrorsOfVerification(solved);
}

TEST(Goals, StepsComeIntoRegions) {
  const auto box = within({-0.01, -0.02, 0.0, -0.1, -4.0, -0.3}, {0.01, 0.0, 0.03, 0.2, 4.0, 0.0});
  for (const TestRegion& region : {box, inCone(0.2), inCone(0.0)}) {
    const Solved solved{TwoArms({region, TestRegion{}})};
    solved.problem().measure();
    expectErrorsOfVerification(solved);
    solved.steps(kSteps);
    EXPECT_GE(solved.solved(), 6);
  }
}

TEST(Goals, AFreeRegionHasNoError) {
  std::array<double, 6> upper{};
  for (std::size_t k = 0; k < 6; ++k) {
    upper[k] = -kFree[k];
  }
  const Solved solved{TwoArms({within(kFree, upper), within(kFree, upper)})};
  solved.problem().measure();
  for (int lane = 0; lane < kLanes; ++lane) {
    EXPECT_LT(solved.problem().laneError(lane, 0.0, 0.0), 1e-25);
    EXPECT_TRUE(solved.verify(lane).exact);
  }
}

TEST(Goals, AllSetsOfInstructionsTakeTheSameSteps) {
  const TwoArms arms(
      {within({-0.01, -0.02, 0.0, -0.1, -4.0, -0.3}, {0.01, 0.0, 0.03, 0.2, 4.0, 0.0}),
       inCone(0.2)});
  const Solved expected(arms, laneKernelOf<double>("one at a time"));
  expected.steps(3);
  for (const LaneKernel& kernel : laneKernels()) {
    const Solved solved(arms, kernel);
    solved.steps(3);
    for (int lane = 0; lane < kLanes; ++lane) {
      const std::vector<double> q = solved.configuration(lane);
      const std::vector<double> other = expected.configuration(lane);
      for (std::size_t v = 0; v < q.size(); ++v) {
        EXPECT_NEAR(q[v], other[v], 1e-7) << kernel.instruction_set;
      }
    }
  }
}

TEST(Goals, VariablesStayWithinTheirBounds) {
  const Solved solved{TwoArms()};
  const std::vector<double> lower(TwoArms::kJoints, -0.2);
  const std::vector<double> upper(TwoArms::kJoints, 0.1);
  for (int step = 0; step < kSteps; ++step) {
    solved.problem().measure();
    solved.problem().advance(lower.data(), upper.data());
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    for (const double q : solved.configuration(lane)) {
      EXPECT_GE(q, -0.2);
      EXPECT_LE(q, 0.1);
    }
  }
}

TEST(Goals, NumbersThatAreNotConsistentAreRefused) {
  const TwoArms arms;
  GoalNumbers numbers{};
  ASSERT_TRUE(numbers.read(arms.packed()));
  EXPECT_EQ(numbers.tree.num_slots, 3);
  EXPECT_EQ(numbers.tree.num_columns, 19);
  for (std::size_t i = 0; i < arms.ints.size(); ++i) {
    for (const std::int64_t wrong : {std::int64_t{-1000}, std::int64_t{1} << 40}) {
      TwoArms other = arms;
      other.ints[i] = wrong;
      // What is read of it nevertheless is in range: the sanitizers say so.
      if (numbers.read(other.packed())) {
        EXPECT_LE(numbers.tree.num_slots, numbers.tree.num_joints);
      }
    }
  }
  for (const bool of_floats : {true, false}) {
    TwoArms shorter = arms;
    of_floats ? shorter.floats.pop_back() : shorter.ints.pop_back();
    EXPECT_FALSE(numbers.read(shorter.packed()));
  }
  TwoArms nan = arms;
  nan.floats[4] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(numbers.read(nan.packed()));
}

TEST(JointTrees, KeepTheFramesThatBranchOrCarrySomething) {
  const TwoArms arms;
  GoalNumbers numbers{};
  ASSERT_TRUE(numbers.read(arms.packed()));
  const GoalTree& tree = numbers.tree;
  for (std::int64_t j = 0; j < TwoArms::kJoints; ++j) {
    const std::int64_t begin = j == 0 ? GoalTree::kBase : (j == 7 ? 0 : GoalTree::kBefore);
    EXPECT_EQ(tree.begin[j], begin);
    EXPECT_EQ(tree.slot[j], j % 6 == 0 ? j / 6 : -1);
  }
  EXPECT_EQ(tree.tip_slot[0], 1);
  EXPECT_EQ(tree.tip_slot[1], 2);
  EXPECT_EQ(tree.reference_slot[0], GoalTree::kIdentity);
  EXPECT_EQ(tree.reference_slot[1], 1);
  // The waist moves both hands alike.
  EXPECT_EQ(tree.path_end[0], 7);
  EXPECT_EQ(tree.path_end[1], 19);
  for (std::int64_t p = 7; p < 19; ++p) {
    const bool of_right = p < 13;
    EXPECT_EQ(tree.path[3 * p], of_right ? p : p - 12);
    EXPECT_EQ(tree.path[3 * p + 1], of_right ? 1 : -1);
  }
  EXPECT_EQ(tree.column[TwoArms::kJoints], -1);
}

TEST(JointTrees, GoalsAreCoupledByCommonVariables) {
  const std::vector<Joint> joints = {{.variable = 0}, {.variable = 1}, {.variable = 2}};
  const auto coupled = [&](const std::vector<std::int64_t>& parents, std::int64_t last) {
    const JointTree tree(joints, parents, {{.tip = {.joint = 1}}, {.tip = {.joint = last}}},
                         Vector::Ones(3));
    EXPECT_FALSE(tree.isChain());
    return tree.goals().coupled[1];
  };
  EXPECT_EQ(coupled({-1, 0, -1}, 2), 0);
  EXPECT_EQ(coupled({-1, 0, 0}, 2), 1);
  EXPECT_EQ(coupled({-1, 0, -1}, -1), 0);
  EXPECT_THROW(coupled({-1, 1, -1}, 2), std::invalid_argument);
  EXPECT_THROW(coupled({-1, 0, -1}, 3), std::invalid_argument);
  EXPECT_THROW(coupled({-1, 0}, 2), std::invalid_argument);
}

TEST(Goals, NotANumberIsNoSolution) {
  const Solved solved{TwoArms()};
  std::vector<double> q = solved.configuration(0);
  q[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(solved.problem().verify(q.data(), 0).exact);
}

// A frame that is turned by roll, pitch and yaw.
verify::Frame<double> turned(double roll, double pitch, double yaw) {
  const std::array<double, 3> angles = {roll, pitch, yaw};
  return verify::turnedBy(angles.data());
}

TEST(VerifiedRegions, AnglesAreMeasuredToTheNearestBound) {
  const TestRegion region =
      within({0.0, 0.0, 0.0, -0.1, -0.2, -4.0}, {0.0, 0.0, 0.0, 0.1, 0.2, 4.0});
  const verify::Region bounds = {region.check.data()};
  const auto outside = [&bounds](const verify::Frame<double>& tip) {
    return verify::outsideAngles(bounds, tip, 1e-5);
  };
  EXPECT_EQ(outside(turned(0.05, -0.1, 2.0)).excess, 0.0);
  EXPECT_TRUE(outside(turned(0.05, -0.1, 2.0)).inside);
  EXPECT_NEAR(outside(turned(0.4, 0.0, -3.0)).excess, 0.3, 1e-12);
  EXPECT_FALSE(outside(turned(0.4, 0.0, -3.0)).inside);
  EXPECT_NEAR(outside(turned(0.0, -0.5, 1.0)).excess, 0.3, 1e-12);
}

TEST(VerifiedRegions, ConesAndBoxesAreMeasuredByHand) {
  const TestRegion region = inCone(0.3);
  const verify::Region cone = {region.check.data()};
  EXPECT_NEAR(verify::outsideCone(cone, turned(0.5, 0.0, 1.0), 1e-5).excess, 0.2, 1e-12);
  EXPECT_TRUE(verify::outsideCone(cone, turned(0.2, 0.0, -2.0), 1e-5).inside);
  const TestRegion bounds =
      within({-0.1, 0.0, 0.0, -4.0, -4.0, -4.0}, {0.1, 0.0, 0.2, 4.0, 4.0, 4.0});
  const verify::Region box = {bounds.check.data()};
  const verify::RegionGap gap = verify::outsideBox(box, {0.4, 0.4, 0.1}, 1e-5);
  EXPECT_NEAR(gap.excess, 0.5, 1e-12);
  EXPECT_FALSE(gap.inside);
  // Bounds without room are the tolerance's to judge.
  EXPECT_TRUE(verify::outsideBox(box, {0.0, 1e-6, 0.1}, 1e-5).inside);
}

}  // namespace
}  // namespace generative_ik::test

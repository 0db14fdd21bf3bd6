// The local solver's iteration with the numbers of a thread, against the same in lanes.
#include "../cuda/thread_layout.hpp"

#include <gtest/gtest.h>

#include <random>

#include "../src/device/problem_upload.hpp"
#include "../src/local_solver/kernel_of.hpp"
#include "../src/solver/packed_chain.hpp"
#include "device_problem.hpp"
#include "robots.hpp"

namespace generative_ik::cuda {
namespace {

constexpr int kSteps = 6;

// Where steps of a thread lead from a configuration.
template <class Number, int kJoints>
Vector stepped(const Chain& chain, const Vector& start, const Eigen::Isometry3d& target) {
  const PackedChain packed_chain = packed(chain, Tolerance{1e-5, 1e-5});
  const SearchBox box(chain.variables());
  const auto single = [&](const Vector& bounds) {
    std::vector<Number> numbers;
    for (const double bound : bounds) {
      numbers.push_back(static_cast<Number>(bound));
    }
    return numbers;
  };
  const std::vector<Number> lower = single(box.lower());
  const std::vector<Number> upper = single(box.upper());
  const LaneChain lanes = packed_chain.chain();
  std::vector<Number> floats;
  for (const double number : packed_chain.floats) {
    floats.push_back(static_cast<Number>(number));
  }
  const Number* at = floats.data();
  const auto moved = [&](const double* of) { return at + (of - packed_chain.floats.data()); };
  const StepChain<Number> own = {lanes.num_joints,    lanes.num_variables, moved(lanes.origins),
                                 lanes.prismatic,     lanes.variable,      moved(lanes.multiplier),
                                 moved(lanes.offset), moved(lanes.tip),    moved(lanes.scale)};
  const LaneOptions& o = packed_chain.options;
  const StepOptions<Number> options = {static_cast<Number>(o.position_weight),
                                       static_cast<Number>(o.orientation_weight),
                                       0,
                                       0,
                                       o.max_iterations,
                                       static_cast<Number>(o.damping),
                                       static_cast<Number>(o.max_step),
                                       o.stall_window,
                                       0};
  ThreadMemory<Number, kJoints> memory(options.damping);
  const StepRows<Number> rows = memory.rows();
  for (Eigen::Index v = 0; v < start.size(); ++v) {
    rows.seeds.q[v] = static_cast<Number>(start[v]);
  }
  const Eigen::Matrix<double, 4, 4, Eigen::RowMajor> pose = target.matrix();
  poseNumbers(pose.data(), rows.target);
  const DampedStep<Number, InThread<Number, kJoints>> step(own, rows, 0);
  for (int k = 0; k < kSteps; ++k) {
    step.measure();
    step.advance(options, lower.data(), upper.data());
  }
  return Vector::NullaryExpr(start.size(),
                             [&](Eigen::Index v) { return static_cast<double>(rows.seeds.q[v]); });
}

// The same in lanes.
Vector steppedInLanes(const Chain& chain, const Vector& start, const Eigen::Isometry3d& target) {
  const PackedChain packed_chain = packed(chain, Tolerance{1e-5, 1e-5});
  const SearchBox box(chain.variables());
  std::vector<LaneRow> memory(
      static_cast<std::size_t>(countRows(packed_chain.ints[0], packed_chain.ints[1])));
  const Eigen::Matrix<double, 4, 4, Eigen::RowMajor> pose = target.matrix();
  const LaneKernel kernel = laneKernelOf<double>("scalar");
  const ChainSolver solver(packed_chain.chain(), packed_chain.options, pose.data(), memory.data(),
                           kernel);
  solver.clear();
  for (int lane = 0; lane < kLanes; ++lane) {
    solver.load(lane, 0);
    solver.rows().moving->lane[lane] = 1.0;
    for (Eigen::Index v = 0; v < start.size(); ++v) {
      solver.rows().q[v].lane[lane] = start[v];
    }
  }
  for (int k = 0; k < kSteps; ++k) {
    solver.measure();
    solver.advance(box.lower().data(), box.upper().data());
  }
  return Vector::NullaryExpr(start.size(),
                             [&](Eigen::Index v) { return solver.rows().q[v].lane[3]; });
}

TEST(ThreadLayout, TakesTheStepsThatLanesTake) {
  std::mt19937 random(21);
  for (int i = 0; i < 20; ++i) {
    const Chain panda = test::panda();
    const Vector start = test::randomPosition(panda, random);
    const Eigen::Isometry3d target = panda.tipInBase(test::randomPosition(panda, random));
    const Vector expected = steppedInLanes(panda, start, target);
    EXPECT_GT((expected - start).cwiseAbs().maxCoeff(), 1e-3);
    EXPECT_LT((stepped<double, 7>(panda, start, target) - expected).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((stepped<double, 0>(panda, start, target) - expected).cwiseAbs().maxCoeff(), 1e-9);
  }
}

TEST(ThreadLayout, TakesChainsOfAllKinds) {
  std::mt19937 random(22);
  for (const Chain& chain : {test::railArm(), test::bentArm(), test::twoLinks()}) {
    const Vector start = test::randomPosition(chain, random);
    const Eigen::Isometry3d target = chain.tipInBase(test::randomPosition(chain, random));
    const Vector expected = steppedInLanes(chain, start, target);
    EXPECT_LT((stepped<double, 0>(chain, start, target) - expected).cwiseAbs().maxCoeff(), 1e-9);
  }
  const Chain ur10 = test::ur10();
  const Vector start = test::randomPosition(ur10, random);
  const Eigen::Isometry3d target = ur10.tipInBase(test::randomPosition(ur10, random));
  EXPECT_LT((stepped<double, 6>(ur10, start, target) - steppedInLanes(ur10, start, target))
                .cwiseAbs()
                .maxCoeff(),
            1e-9);
}

TEST(ThreadLayout, SinglePrecisionConvergesBesideASolution) {
  std::mt19937 random(23);
  std::uniform_real_distribution<double> nearby(-0.1, 0.1);
  const Chain panda = test::panda();
  int close = 0;
  for (int i = 0; i < 40; ++i) {
    const Vector goal = 0.8 * test::randomPosition(panda, random);
    const Eigen::Isometry3d target = panda.tipInBase(goal);
    const Vector start = goal + Vector::NullaryExpr(7, [&] { return nearby(random); });
    const Twist error =
        poseError(panda.tipInBase(stepped<float, 7>(panda, start, target)), target);
    close += error.cwiseAbs().maxCoeff() < 1e-5 ? 1 : 0;
  }
  EXPECT_GE(close, 38) << "of 40";
}

TEST(ThreadLayout, HalfAnglesInSinglePrecisionAreExactToRounding) {
  for (int i = -300; i <= 300; ++i) {
    const float angle = 0.05F * static_cast<float>(i);
    float sine = 0.0F;
    float cosine = 0.0F;
    simd::halfAngle(angle, sine, cosine);
    const double half = 0.5 * static_cast<double>(angle);
    const double sign = sine * std::sin(half) + cosine * std::cos(half) < 0.0 ? -1.0 : 1.0;
    EXPECT_NEAR(sine, sign * std::sin(half), 4e-7);
    EXPECT_NEAR(cosine, sign * std::cos(half), 4e-7);
  }
}

}  // namespace
}  // namespace generative_ik::cuda

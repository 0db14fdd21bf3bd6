#include <gtest/gtest.h>

#include <cmath>
#include <generative_ik/search_box.hpp>
#include <optional>

#include "../src/local_solver/chain_solver.hpp"
#include "../src/local_solver/kernel_of.hpp"
#include "../src/solver/packed_chain.hpp"
#include "robots.hpp"

namespace generative_ik::test {
namespace {

constexpr int kKernelSteps = 30;

// Eight configurations of a chain under way to a pose, inside its limits.
class Lanes {
 public:
  Lanes(const Chain& chain, const Vector& goal, const LaneKernel& kernel = laneKernel())
      : target(chain.tipInBase(goal)),
        box(chain.variables()),
        packed_(packed(chain, Tolerance{})),
        memory_(static_cast<std::size_t>(countRows(packed_.ints[0], packed_.ints[1]))) {
    appendPose(target, pose_);
    solver_.emplace(packed_.chain(), packed_.options, pose_.data(), memory_.data(), kernel);
    solver_->clear();
    for (int lane = 0; lane < kLanes; ++lane) {
      solver_->load(lane, 0);
    }
  }

  void begin(int lane, const Vector& q) {
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      solver_->rows().q[i].lane[lane] = q[i];
    }
    solver_->rows().moving->lane[lane] = 0.0;
  }
  void release(int lane) { solver_->rows().moving->lane[lane] = 1.0; }
  void measure() { solver_->measure(); }
  void advance() { solver_->advance(box.lower().data(), box.upper().data()); }

  [[nodiscard]] Vector configuration(int lane) const {
    return Vector::NullaryExpr(packed_.ints[1],
                               [&](Eigen::Index i) { return solver_->rows().q[i].lane[lane]; });
  }
  [[nodiscard]] double positionError(int lane) const {
    return solver_->rows().position_error->lane[lane];
  }
  [[nodiscard]] double orientationChord(int lane) const {
    return solver_->rows().orientation_error->lane[lane];
  }
  [[nodiscard]] double squaredError(int lane) const {
    return solver_->laneError(lane, positionError(lane), orientationChord(lane));
  }

  Eigen::Isometry3d target;
  SearchBox box;

 private:
  PackedChain packed_;
  std::vector<double> pose_;
  std::vector<LaneRow> memory_;
  std::optional<ChainSolver> solver_;
};

// Those that this processor can run, and the same iteration for one number at a time.
std::vector<LaneKernel> everyKernel() {
  std::vector<LaneKernel> kernels = laneKernels();
  kernels.push_back(laneKernelOf<double>("scalar"));
  return kernels;
}

TEST(LaneKernel, AllKernelsTakeTheSameSteps) {
  std::mt19937 random(14);
  for (const Chain& chain : {panda(), railArm(), twoLinks(), bentArm()}) {
    const Vector goal = randomPosition(chain, random);
    std::vector<Vector> starts;
    for (int lane = 0; lane < kLanes; ++lane) {
      starts.push_back(randomPosition(chain, random));
    }
    std::vector<Vector> expected;
    for (const LaneKernel& kernel : everyKernel()) {
      Lanes solver(chain, goal, kernel);
      for (int lane = 0; lane < kLanes; ++lane) {
        solver.begin(lane, starts[static_cast<std::size_t>(lane)]);
        solver.release(lane);
      }
      for (int step = 0; step < 4; ++step) {
        solver.measure();
        solver.advance();
      }
      for (int lane = 0; lane < kLanes; ++lane) {
        const Vector q = solver.configuration(lane);
        const auto at = static_cast<std::size_t>(lane);
        if (expected.size() == at) {
          expected.push_back(q);
        }
        EXPECT_LT((q - expected[at]).cwiseAbs().maxCoeff(), 1e-9);
        EXPECT_GT((q - starts[at]).cwiseAbs().maxCoeff(), 1e-6);
      }
    }
  }
}

TEST(LaneKernel, ErrorsAgreeWithTheChain) {
  std::mt19937 random(11);
  for (const LaneKernel& kernel : everyKernel()) {
    for (const Chain& chain : {panda(), railArm(), twoLinks(), bentArm()}) {
      const Vector goal = randomPosition(chain, random);
      Lanes solver(chain, goal, kernel);
      for (int lane = 0; lane < kLanes; ++lane) {
        solver.begin(lane, randomPosition(chain, random));
        solver.release(lane);
      }
      for (int step = 0; step < kKernelSteps; ++step) {
        solver.measure();
        for (int lane = 0; lane < kLanes; ++lane) {
          const Vector q = solver.configuration(lane);
          ASSERT_TRUE(solver.box.contains(q));
          const Twist error = poseError(chain.tipInBase(q), solver.target);
          EXPECT_NEAR(solver.positionError(lane), error.head<3>().norm(), 1e-12);
          EXPECT_NEAR(solver.orientationChord(lane), 2.0 * std::sin(0.5 * error.tail<3>().norm()),
                      1e-9);
        }
        solver.advance();
      }
    }
  }
}

// Five joints, each turned from the one before by so much about any axis; the third slides.
Chain turnedBy(double angle, std::mt19937& random) {
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  std::vector<Variable> variables;
  std::vector<Joint> joints;
  for (int j = 0; j < 5; ++j) {
    const auto any = [&] { return Eigen::Vector3d::NullaryExpr([&] { return number(random); }); };
    Joint joint;
    joint.joint_in_parent =
        Eigen::Translation3d(any()) * Eigen::AngleAxisd(angle, any().normalized());
    joint.axis = j == 0 ? Eigen::Vector3d(any().normalized()) : joints.front().axis;
    joint.type = j == 2 ? Joint::Type::kPrismatic : Joint::Type::kRevolute;
    joint.variable = j;
    joint.offset = number(random);
    joints.push_back(joint);
    variables.push_back({"joint" + std::to_string(j), -2.0, 2.0, false, j != 2});
  }
  return {variables, joints, Eigen::Isometry3d(Eigen::Translation3d(0.1, 0.2, 0.3))};
}

TEST(LaneKernel, JointsAreWhereTheChainHasThemHoweverTheirAxesLie) {
  std::mt19937 random(15);
  for (const double angle : {0.0, 1e-13, 1e-9, 1e-4, 0.05, 0.12, 1.5, 3.14, M_PI}) {
    const Chain chain = turnedBy(angle, random);
    Lanes solver(chain, randomPosition(chain, random));
    for (int lane = 0; lane < kLanes; ++lane) {
      solver.begin(lane, randomPosition(chain, random));
    }
    solver.measure();
    for (int lane = 0; lane < kLanes; ++lane) {
      const Vector q = solver.configuration(lane);
      const Twist error = poseError(chain.tipInBase(q), solver.target);
      EXPECT_NEAR(solver.positionError(lane), error.head<3>().norm(), 1e-12) << angle;
      EXPECT_NEAR(solver.orientationChord(lane), 2.0 * std::sin(0.5 * error.tail<3>().norm()),
                  1e-12)
          << angle;
    }
  }
}

TEST(LaneKernel, TheNextJointIsOneTurnAboutXAway) {
  const PackedChain numbers = packed(panda(), Tolerance{});
  const LaneChain chain = numbers.chain();
  for (std::int64_t j = 0; j < chain.num_joints; ++j) {
    const double* origin = chain.origins + kPoseNumbers * j;
    EXPECT_EQ(origin[1], 0.0) << j;
    EXPECT_EQ(origin[4], 0.0) << j;
    EXPECT_EQ(origin[5], 0.0) << j;
  }
}

TEST(LaneKernel, ConvergesBesideASolution) {
  std::mt19937 random(12);
  std::uniform_real_distribution<double> nearby(-0.1, 0.1);
  const Chain chain = panda();
  for (const LaneKernel& kernel : everyKernel()) {
    int converged = 0;
    for (int i = 0; i < 20; ++i) {
      const Vector goal = 0.8 * randomPosition(chain, random);
      Lanes solver(chain, goal, kernel);
      for (int lane = 0; lane < kLanes; ++lane) {
        solver.begin(lane, goal + Vector::NullaryExpr(7, [&] { return nearby(random); }));
        solver.release(lane);
      }
      for (int step = 0; step < kKernelSteps; ++step) {
        solver.measure();
        solver.advance();
      }
      solver.measure();
      for (int lane = 0; lane < kLanes; ++lane) {
        converged += solver.squaredError(lane) < 1e-18 ? 1 : 0;
      }
    }
    EXPECT_GE(converged, 150) << "of 160";
  }
}

TEST(LaneKernel, ALaneThatHasJustBegunIsNotMovedByOldErrors) {
  std::mt19937 random(13);
  const Chain chain = panda();
  Lanes solver(chain, randomPosition(chain, random));
  solver.measure();
  const Vector start = randomPosition(chain, random);
  solver.begin(0, start);
  solver.advance();
  EXPECT_EQ(solver.configuration(0), start);
  solver.measure();
  solver.release(0);
  solver.advance();
  EXPECT_NE(solver.configuration(0), start);
}

}  // namespace
}  // namespace generative_ik::test

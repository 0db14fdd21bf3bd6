// Poses that cannot be met: the position or the orientation exactly, the other as nearly as
// possible.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <generative_ik/path.hpp>
#include <generative_ik/search.hpp>
#include <numbers>
#include <stdexcept>

#include "../src/simd/constants.hpp"
#include "robots.hpp"

namespace generative_ik::test {
namespace {

SolverOptions optionsFor(Preference preferred) {
  SolverOptions options;
  options.prefer = preferred;
  return options;
}

// The Panda with its elbow and its last joint left out: five joints.
Chain fiveJoints() {
  const Chain whole = panda();
  std::vector<Variable> variables;
  std::vector<Joint> joints;
  Eigen::Isometry3d before = Eigen::Isometry3d::Identity();
  for (std::size_t i = 0; i < whole.joints().size(); ++i) {
    Joint joint = whole.joints()[i];
    if (i == 2 || i == 6) {
      before = before * joint.joint_in_parent;
      continue;
    }
    joint.joint_in_parent = before * joint.joint_in_parent;
    before.setIdentity();
    joint.variable = static_cast<int>(variables.size());
    variables.push_back(whole.variables()[i]);
    joints.push_back(joint);
  }
  return {variables, joints, before * whole.tipInLastJoint()};
}

TEST(Approximations, APathMeetsPositionsExactlyAndAnglesAreLeastAllTheWay) {
  const Chain chain = fiveJoints();
  const IKSolver solver(chain, optionsFor(Preference::kPosition));
  Vector q(5);
  q << 0.1, -0.3, -1.8, 0.2, 1.5;
  PathRequest request;
  for (int t = 0; t < 40; ++t) {
    Eigen::Isometry3d pose = chain.tipInBase(q);
    pose.translation().y() += 0.003 * t;
    pose.rotate(Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitX()));
    request.targets_in_base.push_back(pose);
  }
  EXPECT_NE(IKSolver(chain).solvePath(request).status, PathStatus::kComplete);
  const IKPath path = solver.solvePath(request);
  ASSERT_EQ(path.status, PathStatus::kComplete);
  for (std::size_t t = 0; t < path.solutions.size(); ++t) {
    const Solution& one = path.solutions[t];
    EXPECT_LE(one.position_error, 1e-5);
    // The least of all minima there, or that of the branch that the path is on.
    IKRequest alone;
    alone.target_in_base = request.targets_in_base[t];
    alone.seed_state = one.q;
    alone.num_solutions = 1;
    const IKSolutions nearest = solver.solve(alone);
    ASSERT_FALSE(nearest.solutions.empty());
    EXPECT_LT((nearest.solutions.front().q - one.q).cwiseAbs().maxCoeff(), 1e-4);
    if (t > 0) {
      EXPECT_LE((one.q - path.solutions[t - 1].q).cwiseAbs().maxCoeff(), 0.2);
    }
  }
}

TEST(Approximations, ThePositionIsMetAndTheAngleIsLeast) {
  const Chain chain = fiveJoints();
  const IKSolver solver(chain, optionsFor(Preference::kPosition));
  const IKSolver exact(chain);
  std::mt19937 random(1);
  std::uniform_real_distribution<> angle(-0.5, 0.5);
  int approximate = 0;
  for (int i = 0; i < 20; ++i) {
    IKRequest request;
    request.target_in_base = chain.tipInBase(randomPosition(chain, random));
    request.target_in_base.rotate(Eigen::AngleAxisd(angle(random), Eigen::Vector3d::UnitX()));
    request.target_in_base.rotate(Eigen::AngleAxisd(angle(random), Eigen::Vector3d::UnitY()));
    request.num_solutions = 2;
    ASSERT_EQ(exact.solve(request).status, SolveStatus::kNoSolution);
    const IKSolutions found = solver.solve(request);
    if (found.status != SolveStatus::kApproximate) {
      continue;
    }
    ++approximate;
    const Solution& best = found.solutions.front();
    const Twist error = poseError(chain.tipInBase(best.q), request.target_in_base);
    EXPECT_LE(error.head<3>().norm(), 1e-5 + 1e-9);
    EXPECT_NEAR(error.tail<3>().norm(), best.orientation_error, 1e-6);
    // No configuration beside it that meets the position has a smaller angle.
    SolverOptions free;
    free.tolerance.orientation = std::numeric_limits<double>::infinity();
    const IKSolver positions(chain, free);
    IKRequest beside = request;
    beside.num_solutions = 200;
    beside.seed_state = best.q;
    beside.consistency_limits = ConsistencyLimits(5, 0.1);
    for (const Solution& other : positions.solve(beside).solutions) {
      EXPECT_GE(other.orientation_error, best.orientation_error - 1e-6);
    }
    if (found.solutions.size() > 1) {
      EXPECT_LE(best.orientation_error, found.solutions[1].orientation_error + 1e-5);
    }
    Search search(solver, request);
    const Vector closest = search.closest(request.deadline);
    EXPECT_NEAR(poseError(chain.tipInBase(closest), request.target_in_base).tail<3>().norm(),
                best.orientation_error, 1e-4);
  }
  EXPECT_GE(approximate, 15);
}

TEST(Approximations, TheOrientationIsMetWhereThePoseIsOutOfReach) {
  const Chain chain = panda();
  const IKSolver solver(chain, optionsFor(Preference::kOrientation));
  IKRequest request;
  request.target_in_base = chain.tipInBase(Vector::Constant(7, -0.4));
  request.target_in_base.translation() = Eigen::Vector3d(1.5, 0.0, 0.4);
  const IKSolutions found = solver.solve(request);
  ASSERT_EQ(found.status, SolveStatus::kApproximate);
  const Twist error = poseError(chain.tipInBase(found.solutions[0].q), request.target_in_base);
  EXPECT_LE(error.tail<3>().norm(), 1e-5 + 1e-9);
  EXPECT_GT(error.head<3>().norm(), 0.1);
}

TEST(Approximations, APoseWithSolutionsHasTheSameOnes) {
  const Chain chain = panda();
  const IKSolver one(chain);
  const IKSolver other(chain, optionsFor(Preference::kPosition));
  std::mt19937 random(2);
  for (int i = 0; i < 20; ++i) {
    IKRequest request;
    request.target_in_base = chain.tipInBase(randomPosition(chain, random));
    request.num_solutions = 3;
    const IKSolutions expected = one.solve(request);
    const IKSolutions found = other.solve(request);
    ASSERT_EQ(found.status, expected.status);
    for (std::size_t k = 0; k < expected.solutions.size(); ++k) {
      EXPECT_EQ(found.solutions[k].q, expected.solutions[k].q);
    }
  }
}

TEST(Approximations, FullTurnsOfThemCountWhereThereAreTooFew) {
  const Chain five = fiveJoints();
  std::vector<Variable> variables = five.variables();
  variables[0].lower = -kTurn;
  variables[0].upper = kTurn;
  const Chain chain(variables, five.joints(), five.tipInLastJoint());
  const IKSolver solver(chain, optionsFor(Preference::kPosition));
  IKRequest request;
  Vector q(5);
  q << 0.1, -0.3, -1.8, 0.2, 1.5;
  request.target_in_base = chain.tipInBase(q);
  request.target_in_base.rotate(Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitX()));
  request.num_solutions = 1000;
  const IKSolutions found = solver.solve(request);
  ASSERT_EQ(found.status, SolveStatus::kApproximate);
  ASSERT_LT(found.solutions.size(), 1000U);
  const auto is_there = [&](const Vector& q) {
    return std::any_of(found.solutions.begin(), found.solutions.end(), [&](const Solution& one) {
      return (one.q - q).cwiseAbs().maxCoeff() < 1e-6;
    });
  };
  for (const Solution& one : found.solutions) {
    Vector turned = one.q;
    turned[0] += turned[0] < 0.0 ? kTurn : -kTurn;
    EXPECT_TRUE(is_there(turned));
  }
  request.num_solutions = 3;
  EXPECT_EQ(solver.solve(request).solutions.size(), 3U);
}

TEST(Approximations, PathsGoOnAlongExactSolutionsWhereMinimaEnd) {
  const Chain chain = ur10();
  const IKSolver plain(chain);
  const IKSolver solver(chain, optionsFor(Preference::kOrientation));
  std::mt19937 random(3);
  std::uniform_real_distribution<> anywhere(-2.0, 2.0);
  std::uniform_real_distribution<> little(-0.5, 0.5);
  std::uniform_real_distribution<> wrist(0.3, 0.6);
  for (int i = 0; i < 20; ++i) {
    Vector begin(6);
    Vector end(6);
    for (Eigen::Index v = 0; v < 6; ++v) {
      begin[v] = anywhere(random);
      end[v] = begin[v] + little(random);
    }
    begin[4] = -wrist(random);  // and through a singularity
    end[4] = wrist(random);
    PathRequest request;
    request.seed_state = begin;
    constexpr int kPoses = 30;
    for (int t = 0; t < kPoses; ++t) {
      const double share = static_cast<double>(t) / (kPoses - 1);
      request.targets_in_base.push_back(chain.tipInBase(begin + share * (end - begin)));
    }
    EXPECT_GE(solver.solvePath(request).solutions.size(),
              plain.solvePath(request).solutions.size())
        << i;
  }
}

TEST(Approximations, APathMayEndInOneOfThem) {
  const Chain chain = fiveJoints();
  const IKSolver solver(chain, optionsFor(Preference::kPosition));
  Vector q(5);
  q << 0.1, -0.3, -1.8, 0.2, 1.5;
  PathRequest request;
  for (const double z : {0.0, 2.0, 0.0}) {  // and out of reach in between
    request.targets_in_base.push_back(chain.tipInBase(q) *
                                      Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitX()));
    request.targets_in_base.back().translation().z() += z;
  }
  IKRequest last;
  last.target_in_base = request.targets_in_base.back();
  const IKSolutions ends = solver.solve(last);
  ASSERT_EQ(ends.status, SolveStatus::kApproximate);
  request.end_state = ends.solutions.front().q;
  EXPECT_EQ(solver.solvePath(request).solutions.size(), 1U);
}

TEST(Approximations, NeedFiniteTolerances) {
  SolverOptions options = optionsFor(Preference::kPosition);
  options.tolerance.orientation = std::numeric_limits<double>::infinity();
  EXPECT_THROW(IKSolver(panda(), options), std::invalid_argument);
}

}  // namespace
}  // namespace generative_ik::test

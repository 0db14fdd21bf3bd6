// What requests within task space regions promise beside solutions inside: ends, batches, tips,
// paths, and errors that say what is wrong.

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <generative_ik/path.hpp>
#include <generative_ik/search.hpp>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "region_truth.hpp"
#include "robots.hpp"

namespace generative_ik::test {
namespace {

using Axis = TaskSpaceRegion::Axis;

TEST(RegionRequests, OutOfReachIsNoSolutionAndSaysHowNearTheArmComes) {
  const Chain chain = ur10();
  const IKSolver solver(chain);
  IKRequest request;
  request.target_in_base.translation() = Eigen::Vector3d(0.0, 5.0, 0.5);
  request.regions = {{sixBounds(-1, -1, -1, -9, -9, -9), sixBounds(1, 1, 1, 9, 9, 9)}};
  EXPECT_EQ(solver.solve(request).status, SolveStatus::kNoSolution);
  Search search(solver, request);
  EXPECT_EQ(search.run(1, request.deadline), Search::Ending::kUnreachable);
  const Vector closest = search.closest(request.deadline);
  const auto [away, turned] =
      measureOutside(request.regions[0], request.target_in_base, chain.tipInBase(closest));
  EXPECT_GT(away, 1.0);
  EXPECT_LT(away, 4.0);
  EXPECT_LT(turned, 1e-3);
}

TEST(RegionRequests, ASearchGoesOnWhereItStoppedAndADeadlineEndsIt) {
  const Chain chain = panda();
  const IKSolver solver(chain);
  std::mt19937 random(5);
  IKRequest request = requestWithin(TaskSpaceRegion::cone(Axis::kZ, 0.3), chain, random, 2);
  Search search(solver, request);
  EXPECT_EQ(search.run(2, request.deadline), Search::Ending::kEnough);
  IKSolutions found = {SolveStatus::kSolved, search.takeNew()};
  EXPECT_EQ(search.run(found.solutions.size() + 20, request.deadline), Search::Ending::kEnough);
  for (Solution& solution : search.takeNew()) {
    found.solutions.push_back(std::move(solution));
  }
  request.num_solutions = 1000;
  expectInside(chain, request, found);
  request.num_solutions = 100000;
  request.deadline = Deadline(0.02);
  const IKSolutions late = solver.solve(request);
  EXPECT_EQ(late.status, SolveStatus::kPartial);
  EXPECT_TRUE(request.deadline.passed());
  EXPECT_LT(Deadline::Clock::now(), request.deadline.end() + std::chrono::milliseconds(500));
}

TEST(RegionRequests, BatchesAreWhatCallsOneByOneAre) {
  const Chain chain = ur10();
  const IKSolver solver(chain);
  std::mt19937 random(6);
  std::vector<IKRequest> requests;
  for (const NamedRegion& kind : kindsOfRegions()) {
    requests.push_back(requestWithin(kind.region, chain, random, 6));
  }
  const std::vector<IKSolutions> found = solver.solve(requests);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const IKSolutions alone = solver.solve(requests[i]);
    ASSERT_EQ(found[i].solutions.size(), alone.solutions.size());
    for (std::size_t k = 0; k < alone.solutions.size(); ++k) {
      EXPECT_EQ(found[i].solutions[k].q, alone.solutions[k].q);
    }
  }
}

// Solves for two tips about targets that a random configuration reaches.
void expectBothInside(const IKSolver& solver, const std::vector<TaskSpaceRegion>& regions,
                      bool seeded, std::mt19937& random) {
  Vector q(13);
  for (Eigen::Index v = 0; v < 13; ++v) {
    const Variable& variable = solver.variables()[static_cast<std::size_t>(v)];
    q[v] = 0.7 * std::uniform_real_distribution<>(variable.lower, variable.upper)(random);
    q[v] = std::clamp(q[v], variable.lower, variable.upper);
  }
  IKRequest request;
  request.regions = regions;
  request.num_solutions = 5;
  for (std::size_t k = 0; k < 2; ++k) {
    request.targets_in_base.push_back(solver.tipsInBase(q)[k] *
                                      somewhereIn(regions[k], random).inverse());
  }
  if (seeded) {
    request.seed_state = q + Vector::Constant(13, 0.01);
  }
  const IKSolutions found = solver.solve(request);
  EXPECT_EQ(found.status, SolveStatus::kSolved);
  for (const Solution& solution : found.solutions) {
    for (std::size_t k = 0; k < 2; ++k) {
      const auto [away, turned] =
          measureOutside(regions[k], request.targets_in_base[k], solver.tipsInBase(solution.q)[k]);
      EXPECT_LE(away, kInsideRegion);
      EXPECT_LE(turned, kInsideRegion);
    }
  }
}

TEST(RegionRequests, EachOfSeveralTipsHasItsOwn) {
  const std::array<IKSolver, 2> solvers = {IKSolver(twoArms()), IKSolver(twoLimbs())};
  std::mt19937 random(7);
  const std::vector<std::vector<TaskSpaceRegion>> both = {
      {TaskSpaceRegion::freeAxis(), TaskSpaceRegion()},
      {TaskSpaceRegion::positionOnly(), TaskSpaceRegion::cone(Axis::kX, 0.3)},
      {TaskSpaceRegion(), TaskSpaceRegion::free()},
      {TaskSpaceRegion(), TaskSpaceRegion()}};
  for (const IKSolver& solver : solvers) {
    for (const std::vector<TaskSpaceRegion>& regions : both) {
      expectBothInside(solver, regions, false, random);
      expectBothInside(solver, regions, true, random);
    }
  }
}

// An eighth of a circle about the base, along which the tool does not turn.
PathRequest alongCircle(const Chain& chain, const Vector& q) {
  PathRequest request;
  for (int t = 0; t <= 40; ++t) {
    const Eigen::AngleAxisd turn(0.25 * kHalfCircle * t / 40, Eigen::Vector3d::UnitZ());
    Eigen::Isometry3d pose = chain.tipInBase(q);
    pose.translation() = turn * pose.translation();
    request.targets_in_base.push_back(pose);
  }
  return request;
}

TEST(RegionRequests, APathIsInsideTheRegionsAboutItsPoses) {
  for (const Chain& chain : {panda(), ur10()}) {
    const IKSolver solver(chain);
    Vector q = Vector::Constant(chain.size(), 0.4);
    q[3] = chain.size() == 7 ? -1.8 : 0.9;
    PathRequest request = alongCircle(chain, q);
    const TaskSpaceRegion tilted = TaskSpaceRegion::cone(Axis::kZ, 0.2);
    for (const std::vector<TaskSpaceRegion>& regions :
         {std::vector<TaskSpaceRegion>{TaskSpaceRegion::freeAxis()},
          std::vector<TaskSpaceRegion>(request.targets_in_base.size(), tilted)}) {
      request.regions = regions;
      request.deadline = Deadline(60.0);  // sanitizers take their time
      const IKPath path = solver.solvePath(request);
      EXPECT_EQ(path.status, PathStatus::kComplete);
      ASSERT_EQ(path.solutions.size(), request.targets_in_base.size());
      for (std::size_t k = 0; k < path.solutions.size(); ++k) {
        const Solution& solution = path.solutions[k];
        const auto [away, turned] = measureOutside(regions.front(), request.targets_in_base[k],
                                                   chain.tipInBase(solution.q));
        EXPECT_LE(away, kInsideRegion);
        EXPECT_LE(turned, kInsideRegion);
        EXPECT_LE(away, solution.position_error + 1e-9);
        if (k > 0) {
          EXPECT_LE((solution.q - path.solutions[k - 1].q).cwiseAbs().maxCoeff(), 0.2 + 1e-9);
        }
      }
    }
    // With room the arm moves less than without.
    request.objective = PathObjective::kLength;
    const auto length = [&] {
      request.deadline = Deadline(1.0);
      double total = 0.0;
      const IKPath path = solver.solvePath(request);
      EXPECT_EQ(path.status, PathStatus::kComplete);
      for (std::size_t k = 1; k < path.solutions.size(); ++k) {
        total += (path.solutions[k].q - path.solutions[k - 1].q).norm();
      }
      return total;
    };
    request.regions = {TaskSpaceRegion::freeAxis()};
    const double with_room = length();
    request.regions = {TaskSpaceRegion()};
    EXPECT_LT(with_room, length());
  }
}

TEST(RegionRequests, NamedRegionsFreeWhatTheySay) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const auto expect_upper = [](const TaskSpaceRegion& region,
                               const TaskSpaceRegion::Bounds& upper) {
    EXPECT_EQ(region.upper(), upper);
    EXPECT_EQ(region.lower(), -upper);
  };
  expect_upper(TaskSpaceRegion::freeAxis(Axis::kX), sixBounds(0, 0, 0, kHalfCircle, 0, 0));
  expect_upper(TaskSpaceRegion::freeAxis(), sixBounds(0, 0, 0, 0, 0, kHalfCircle));
  expect_upper(TaskSpaceRegion::plane(Axis::kY), sixBounds(kInfinite, 0, kInfinite, 0, 0, 0));
  expect_upper(TaskSpaceRegion::positionOnly(),
               sixBounds(0, 0, 0, kHalfCircle, kHalfCircle, kHalfCircle));
  const TaskSpaceRegion cone = TaskSpaceRegion::cone(Axis::kY, 0.3);
  EXPECT_EQ(cone.boundingCone()->axis, Axis::kY);
  EXPECT_EQ(cone.heldCoordinates().position, 3);
  EXPECT_EQ(cone.heldCoordinates().rotation, 0);
  EXPECT_TRUE(cone == TaskSpaceRegion::cone(Axis::kY, 0.3));
  EXPECT_FALSE(cone == TaskSpaceRegion::cone(Axis::kY, 0.2));
  EXPECT_FALSE(cone.freed(false, true).boundingCone().has_value());
  EXPECT_TRUE(cone.freed(true, true).isFree());
  EXPECT_TRUE(TaskSpaceRegion().isExact());
  EXPECT_TRUE(cone.isAround(1e-5, 1e-5));
  EXPECT_FALSE(cone.isAround(1e-5, 0.4));
}

// The message of what a call throws.
template <class Call>
std::string refusalOf(const Call& call) {
  try {
    (void)call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(RegionRequests, WrongBoundsAreRefused) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto refusal = [](const TaskSpaceRegion::Bounds& lower,
                          const TaskSpaceRegion::Bounds& upper) {
    return refusalOf([&] { return TaskSpaceRegion(lower, upper); });
  };
  const TaskSpaceRegion::Bounds zero = TaskSpaceRegion::Bounds::Zero();
  EXPECT_EQ(refusal(sixBounds(0.1, 0, 0, 0, 0, 0), zero),
            "region: the bounds of x are inverted: lower 0.1 is above upper 0");
  EXPECT_NE(refusal(zero, sixBounds(0, 0, 0, 0, std::nan(""), 0)).find("NaN"), std::string::npos);
  EXPECT_NE(refusal(zero, sixBounds(0, 0, 0, 90, 0, 0)).find("degrees"), std::string::npos);
  EXPECT_NE(refusal(sixBounds(infinity, 0, 0, 0, 0, 0), sixBounds(infinity, 0, 0, 0, 0, 0))
                .find("no tip"),
            std::string::npos);
  for (const double half_angle : {-0.1, 3.2, std::nan("")}) {
    EXPECT_NE(
        refusalOf([&] { return TaskSpaceRegion::cone(Axis::kX, half_angle); }).find("half_angle"),
        std::string::npos);
  }
}

TEST(RegionRequests, WrongRequestsAreRefused) {
  const IKSolver solver(panda());
  IKRequest request;
  const auto refusal = [&](const IKSolver& asked) {
    return refusalOf([&] { return asked.solve(request); });
  };
  request.regions = {TaskSpaceRegion::freeAxis(), TaskSpaceRegion()};
  EXPECT_NE(refusal(solver).find("2 regions for 1 tips"), std::string::npos);
  request.regions = {TaskSpaceRegion::free()};
  EXPECT_NE(refusal(solver).find("nothing to solve"), std::string::npos);
  request.regions = {TaskSpaceRegion::freeAxis()};
  SolverOptions options;
  options.prefer = Preference::kPosition;
  EXPECT_NE(refusal(IKSolver(panda(), options)).find("prefer"), std::string::npos);
  EXPECT_THROW(Search(IKSolver(panda(), options), request), std::invalid_argument);
}

TEST(RegionRequests, WrongPathsAreRefused) {
  const Chain chain = panda();
  PathRequest request = alongCircle(chain, Vector::Constant(7, -0.8));
  const auto refusal = [&] {
    return refusalOf([&] { return IKSolver(chain).solvePath(request); });
  };
  request.regions.resize(3);
  EXPECT_NE(refusal().find("3 regions for 41 poses"), std::string::npos);
  request.regions = {TaskSpaceRegion::free()};
  EXPECT_NE(refusal().find("free"), std::string::npos);
  request.targets_in_base.back() = request.targets_in_base.front();
  request.closed = true;
  request.regions.assign(41, TaskSpaceRegion::freeAxis());
  request.regions.back() = TaskSpaceRegion::plane();
  EXPECT_NE(refusal().find("closed"), std::string::npos);
}

}  // namespace
}  // namespace generative_ik::test

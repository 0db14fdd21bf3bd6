// A planner that is given all collision-free configurations of a pose, beside one that is given
// the nearest to the start: many_goals [PROBLEMS]
//
// An arm of seven joints stands among balls. A time is that of the inverse kinematics and of
// RRT-Connect until its first plan; what takes longer than 2 s has failed.
#include <ompl/base/ProblemDefinition.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/RandomNumbers.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>

#include "arm.hpp"
#include "goal_region.hpp"

namespace ob = ompl::base;
using generative_ik::Vector;

namespace {

constexpr double kLimit = 2.0;  // [s]
constexpr std::size_t kGoals = 50;

// Balls around the arm, and links as capsules.
class Scene {
 public:
  explicit Scene(const generative_ik::Chain& chain) : chain_(chain) {
    for (const double x : {-0.6, -0.2, 0.2, 0.6}) {
      for (const double y : {-0.6, -0.2, 0.2, 0.6}) {
        for (const double z : {0.35, 0.8, 1.25}) {
          balls_.emplace_back(x, y, z);
        }
      }
    }
  }

  [[nodiscard]] bool isFree(const Vector& q) const {
    constexpr double kDistance = 0.1 + 0.07;  // radii of a ball and of a link
    Eigen::Vector3d before = Eigen::Vector3d::Zero();
    generative_ik::ChainFrame frame;
    while (frame.num_joints < static_cast<int>(chain_.joints().size())) {
      ++frame.num_joints;
      const Eigen::Vector3d joint = chain_.frameInBase(q, frame).translation();
      for (const Eigen::Vector3d& ball : balls_) {
        const Eigen::Vector3d link = joint - before;
        const double along = std::clamp((ball - before).dot(link) / link.squaredNorm(), 0.0, 1.0);
        if ((before + along * link - ball).norm() < kDistance) {
          return false;
        }
      }
      before = joint;
    }
    return true;
  }

 private:
  const generative_ik::Chain& chain_;
  std::vector<Eigen::Vector3d> balls_;
};

struct Goals {
  std::size_t count;
  bool nearest;  // to the start
};

struct Figures {
  std::vector<double> milliseconds;
  int failed = 0;
};

// Plans from a start to any of so many configurations of a pose.
void plan(const generative_ik::IKSolver& solver, const Scene& scene, const Vector& start,
          const Eigen::Isometry3d& target, const Goals& goals, Figures& figures) {
  const auto began = std::chrono::steady_clock::now();
  generative_ik::IKRequest request;
  request.target_in_base = target;
  request.num_solutions = goals.count;
  if (goals.nearest) {
    request.seed_state = start;
  }
  request.accept = [&](const Vector& q) { return scene.isFree(q); };
  const auto size = static_cast<unsigned int>(start.size());
  const auto space = std::make_shared<ob::RealVectorStateSpace>(size);
  ob::RealVectorBounds bounds(size);
  for (unsigned int i = 0; i < size; ++i) {
    bounds.setLow(i, solver.variables()[i].lower);
    bounds.setHigh(i, solver.variables()[i].upper);
  }
  space->setBounds(bounds);
  const auto information = std::make_shared<ob::SpaceInformation>(space);
  information->setStateValidityChecker([&](const ob::State* state) {
    const double* values = state->as<ob::RealVectorStateSpace::StateType>()->values;
    return scene.isFree(Eigen::Map<const Vector>(values, start.size()));
  });
  information->setup();
  const auto problem = std::make_shared<ob::ProblemDefinition>(information);
  ob::ScopedState<ob::RealVectorStateSpace> from(space);
  std::copy(start.begin(), start.end(), from->values);
  problem->addStartState(from);
  problem->setGoal(std::make_shared<SolutionsGoal>(information, solver.solve(request).solutions));
  ompl::geometric::RRTConnect planner(information);
  planner.setProblemDefinition(problem);
  planner.setup();
  const bool solved = planner.solve(ob::timedPlannerTerminationCondition(kLimit)) ==
                      ob::PlannerStatus::EXACT_SOLUTION;
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
  figures.milliseconds.push_back(took.count());
  figures.failed += solved ? 0 : 1;
}

void report(const char* what, Figures& figures) {
  std::vector<double>& times = figures.milliseconds;
  std::sort(times.begin(), times.end());
  std::printf("%-18s first plan after %.1f ms (median), %.1f ms (90 %%); %d of %zu failed\n", what,
              times[times.size() / 2], times[times.size() * 9 / 10], figures.failed, times.size());
}

}  // namespace

int main(int argc, char** argv) {
  const int problems = argc > 1 ? std::atoi(argv[1]) : 50;
  ompl::msg::setLogLevel(ompl::msg::LOG_ERROR);
  ompl::RNG::setSeed(1);
  const generative_ik::Chain chain = arm();
  const generative_ik::IKSolver solver(chain);
  const Scene scene(chain);
  std::mt19937 random(1);
  const auto anywhere = [&] {
    Vector q(chain.size());
    do {
      for (Eigen::Index i = 0; i < q.size(); ++i) {
        const generative_ik::Variable& joint = chain.variables()[static_cast<std::size_t>(i)];
        q[i] = std::uniform_real_distribution<>(joint.lower, joint.upper)(random);
      }
    } while (!scene.isFree(q));
    return q;
  };
  Figures any;
  Figures nearest;
  Figures many;
  for (int i = 0; i < problems; ++i) {
    const Vector start = anywhere();
    const Eigen::Isometry3d target = chain.tipInBase(anywhere());
    plan(solver, scene, start, target, {1, false}, any);
    plan(solver, scene, start, target, {1, true}, nearest);
    plan(solver, scene, start, target, {kGoals, true}, many);
  }
  report("one, any:", any);
  report("one, the nearest:", nearest);
  report(("up to " + std::to_string(kGoals) + ":").c_str(), many);
  return 0;
}

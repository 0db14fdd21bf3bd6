// A goal of OMPL: any of the configurations that solve a pose.
#pragma once

#include <ompl/base/goals/GoalSampleableRegion.h>
#include <ompl/base/spaces/RealVectorStateSpace.h>

#include <algorithm>
#include <generative_ik/solver.hpp>
#include <limits>
#include <utility>
#include <vector>

class SolutionsGoal : public ompl::base::GoalSampleableRegion {
 public:
  SolutionsGoal(const ompl::base::SpaceInformationPtr& space,
                std::vector<generative_ik::Solution> solutions)
      : GoalSampleableRegion(space), solutions_(std::move(solutions)) {}

  // In turns, so that a planner that asks for so many has all of them.
  void sampleGoal(ompl::base::State* state) const override {
    const generative_ik::Vector& q = solutions_[next_++ % solutions_.size()].q;
    std::copy(q.begin(), q.end(),
              state->as<ompl::base::RealVectorStateSpace::StateType>()->values);
  }

  unsigned int maxSampleCount() const override {
    return static_cast<unsigned int>(solutions_.size());
  }

  // From the nearest of them.
  double distanceGoal(const ompl::base::State* state) const override {
    const double* values = state->as<ompl::base::RealVectorStateSpace::StateType>()->values;
    double least = std::numeric_limits<double>::infinity();
    for (const generative_ik::Solution& solution : solutions_) {
      const Eigen::Map<const generative_ik::Vector> q(values, solution.q.size());
      least = std::min(least, (solution.q - q).norm());
    }
    return least;
  }

 private:
  std::vector<generative_ik::Solution> solutions_;
  mutable std::size_t next_ = 0;
};

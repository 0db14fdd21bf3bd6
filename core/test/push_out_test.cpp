// Searches that push solutions out of collisions, see collision_world_test.cpp for the steps.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "../src/search/collisions.hpp"
#include "../src/search/run_search.hpp"
#include "../src/solver/packed_chain.hpp"
#include "robots.hpp"

namespace generative_ik::search {
namespace {

std::size_t index(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

// The arrays of a search for one free solution of a pose, as Python's Search makes them.
class Searched {
 public:
  Searched(const Chain& chain, const Vector& goal)
      : packed_(packed(chain, Tolerance{})), n_(chain.size()) {
    appendPose(chain.tipInBase(goal), pose_);
    for (const Variable& variable : chain.variables()) {
      column({variable.lower, variable.upper, variable.lower, variable.upper, 0.0, 0.3, 0.0});
    }
    grid_floats_ = {0.01};
    for (int k = 0; k < Grid::kJoints; ++k) {
      grid_floats_.push_back(k < n_ ? 12.5 : 0.0);
      grid_ints_.push_back(k % n_);
    }
    grid_ints_.resize(index(std::int64_t{2} * Grid::kJoints + n_), 0);
    positions_.resize(index(kCapacity * n_));
    closest_.resize(index(n_));
    target.restarts_left = 16;
    target.closest_error = std::numeric_limits<double>::infinity();
    run_.last = run_.num_solutions = run_.wanted = 1;
    run_.endless = true;
    run_.step = 0.2;
    run_.persistence = 14.0;
    run_.most_restarts = 512;
    run_.most_colliding = kCapacity - 1;
    heads_.fill(-1);
  }

  RunStatus search() {
    const TargetProblem problem = {packed_.view(), nullptr, pose_.data()};
    std::vector<double> memory(index(problem.memory()));
    SearchArrays arrays{};
    arrays.box = Box::of(box_.data(), n_);
    arrays.seeds = {nullptr, 0, 0, true, shift_.data(), ratios_.data()};
    arrays.pool.grid = Grid::of(grid_floats_.data(), grid_ints_.data());
    arrays.pool.size = n_;
    arrays.pool.capacity = kCapacity;
    arrays.pool.buckets = kBuckets;
    arrays.pool.positions = positions_.data();
    arrays.pool.errors = notes.data();
    arrays.pool.visits = visits_.data();
    arrays.pool.counts = &count_;
    arrays.pool.heads = heads_.data();
    arrays.pool.before = before_.data();
    arrays.queue = {queue_.data(), 2};
    arrays.targets = &target;
    arrays.closest = closest_.data();
    arrays.lanes = lanes_.data();
    arrays.check = &check;
    arrays.push = &push;
    arrays.run = &run_;
    return problem.search(memory.data(), arrays, std::numeric_limits<std::int64_t>::max());
  }

  // NOLINTBEGIN(*-non-private-member-variables-in-classes): tests look at them and change them
  Target target{};
  CollisionCheck check;
  PushOut push;
  static constexpr std::int64_t kCapacity = 64;
  std::array<SolutionNotes, kCapacity> notes{};
  // NOLINTEND(*-non-private-member-variables-in-classes)

 private:
  static constexpr std::int64_t kBuckets = 128;

  // What a box says of the next joint, row by row, and its part of the recurrence.
  void column(const std::array<double, Box::kRows>& numbers) {
    box_.resize(index(Box::kRows * n_));
    const auto v = static_cast<std::int64_t>(shift_.size());
    for (std::int64_t row = 0; row < Box::kRows; ++row) {
      box_[index(row * n_ + v)] = numbers.at(index(row));
    }
    shift_.push_back(0.5);
    ratios_.push_back(std::fmod(std::sqrt(static_cast<double>(2 + 3 * v)), 1.0));
  }

  PackedChain packed_;
  std::int64_t n_;
  std::vector<double> pose_, box_, shift_, ratios_, grid_floats_, positions_, closest_;
  std::vector<std::int64_t> grid_ints_;
  std::array<std::int64_t, kCapacity> visits_{};
  std::array<std::int32_t, kCapacity> before_{};
  std::array<std::int32_t, kBuckets> heads_{};
  std::array<Step, 2> queue_{};
  std::array<Lane, kLanes> lanes_{};
  std::int64_t count_ = 0;
  Run run_{};
};

// Twelve joints, of which a pose leaves six to move.
Chain snake() {
  std::vector<Variable> variables;
  std::vector<Joint> joints;
  for (int k = 0; k < 12; ++k) {
    variables.push_back({"joint" + std::to_string(k), -1.5, 1.5});
    Joint joint;
    joint.variable = k;
    joint.axis = k % 2 == 0 ? Eigen::Vector3d::UnitZ() : Eigen::Vector3d::UnitY();
    joint.joint_in_parent.translation().x() = 0.2;
    joints.push_back(joint);
  }
  return Chain(std::move(variables), std::move(joints), Eigen::Isometry3d::Identity());
}

TEST(PushOut, BringsWhatCollidesToAFreeSolutionWhereNoneIsFree) {
  constexpr double kFree = 0.9;
  Vector goal = Vector::Constant(12, 0.3);
  goal[0] = kFree;
  Searched pushed(snake(), goal);
  pushed.check = [](const double* q) {
    return std::abs(q[0] - kFree) < 0.01 ? Verdict::kFree : Verdict::kColliding;
  };
  Searched left = pushed;
  Vector outside;
  pushed.push = [&outside](const double* q) {
    outside = Eigen::Map<const Vector>(q, 12);
    outside[0] += 1.5 * (kFree - q[0]);
    return outside.data();
  };
  ASSERT_EQ(pushed.search(), RunStatus::kOver);
  ASSERT_EQ(left.search(), RunStatus::kOver);
  EXPECT_EQ(pushed.target.free, 1);
  EXPECT_LT(2 * pushed.target.iterations, left.target.iterations);
  // What was pushed had been kept, as what collides is.
  EXPECT_TRUE(pushed.notes[0].collides());
}

TEST(PushOut, LeavesSolutionsOfArmsWhereTheyAre) {
  Searched searched(test::panda(), Vector::Constant(7, 0.5));
  searched.check = [](const double* q) {
    return q[0] > 0.0 ? Verdict::kFree : Verdict::kColliding;
  };
  searched.push = [](const double* /*q*/) -> const double* { throw std::logic_error("pushed"); };
  EXPECT_EQ(searched.search(), RunStatus::kOver);
}

}  // namespace
}  // namespace generative_ik::search

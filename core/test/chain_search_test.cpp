// Searches for solutions of one tip, as Python asks for them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "../src/search/chain_problem.hpp"
#include "../src/search/collisions.hpp"
#include "../src/search/consistency.hpp"
#include "../src/search/pieces.hpp"
#include "../src/search/restarts.hpp"
#include "../src/search/run_search.hpp"
#include "../src/search/single_search.hpp"
#include "../src/solver/packed_chain.hpp"
#include "robots.hpp"

namespace generative_ik::search {
namespace {

constexpr std::int64_t kAllSteps = std::numeric_limits<std::int64_t>::max();
constexpr double kDistinct = 0.01;

std::size_t index(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

// The arrays of a search, as Python's Search makes them.
class Searched {
 public:
  Searched(const Chain& chain, const std::vector<Eigen::Isometry3d>& poses,
           std::int64_t num_solutions, std::int64_t room = 0, const PackedChain* problem = nullptr)
      : chain_(chain),
        packed_(problem != nullptr ? *problem : packed(chain, Tolerance{})),
        n_(chain.size()),
        capacity_(num_solutions + room) {
    const auto count = static_cast<std::int64_t>(poses.size());
    for (const Eigen::Isometry3d& target : poses) {
      appendPose(target, poses_);
    }
    fillBox();
    fillGrid();
    positions_.resize(index(count * capacity_ * n_));
    errors_.resize(index(count * capacity_));
    visits_.resize(index(count * capacity_));
    before_.resize(index(count * capacity_));
    counts.resize(index(count));
    heads.assign(index(count * kBuckets), -1);
    queue_.resize(index(count * 2 * num_solutions));
    closest_.assign(index(count * n_), 0.0);
    Target fresh{};
    fresh.restarts_left = 16;
    fresh.closest_error = std::numeric_limits<double>::infinity();
    targets.assign(index(count), fresh);
    memory_.resize(index(targetProblem().memory()));
    run.last = count;
    run.num_solutions = run.wanted = num_solutions;
    run.endless = true;
    run.step = 0.2;
    run.persistence = 14.0;
    run.most_restarts = 512;
    run.most_colliding = room;
  }

  RunStatus search(std::int64_t max_steps = kAllSteps) {
    return targetProblem().search(memory_.data(), arrays(), max_steps);
  }

  void searchInPieces(std::int64_t size, const parallel::StopWhen& stop = {}) {
    searchPieces({targetProblem()}, arrays(), size, stop);
  }

  [[nodiscard]] TargetProblem targetProblem() const {
    return {packed_.view(), nullptr, poses_.data()};
  }

  SearchArrays arrays() {
    SearchArrays arrays{};
    arrays.box = Box::of(box_.data(), n_);
    arrays.seeds = {nullptr, 0, run.seeds_before, run.endless, shift.data(), ratios_.data()};
    arrays.pool = pool();
    arrays.queue = {queue_.data(), static_cast<std::int64_t>(queue_.size() / targets.size())};
    arrays.targets = targets.data();
    arrays.closest = closest_.data();
    arrays.lanes = lanes_.data();
    arrays.check = &check;
    arrays.push = &push;
    arrays.run = &run;
    return arrays;
  }

  [[nodiscard]] ArraySizes sizes() const {
    return {static_cast<std::int64_t>(targets.size()), run.last, 0};
  }

  Pool pool() {
    Pool pool{};
    pool.grid = Grid::of(grid_floats_.data(), grid_ints_.data());
    pool.size = n_;
    pool.capacity = capacity_;
    pool.buckets = kBuckets;
    pool.positions = positions_.data();
    pool.errors = errors_.data();
    pool.visits = visits_.data();
    pool.counts = counts.data();
    pool.heads = heads.data();
    pool.before = before_.data();
    return pool;
  }

  [[nodiscard]] std::int64_t count(std::int64_t t) const { return counts[index(t)]; }
  [[nodiscard]] const std::vector<double>& positions() const { return positions_; }
  Vector solution(std::int64_t t, std::int64_t k) {
    return Eigen::Map<const Vector>(pool().position(t, k), n_);
  }
  /// The search for one target, with these numbers.
  [[nodiscard]] SingleSearchNumbers singleNumbers() const {
    const std::vector<Variable>& variables = chain_.variables();
    SingleSearchNumbers numbers{packed_.floats,
                                packed_.ints,
                                false,
                                box_,
                                grid_floats_,
                                grid_ints_,
                                {.wanted = run.num_solutions,
                                 .looked_for = run.num_solutions,
                                 .enough = run.num_solutions,
                                 .first_batch = 16,
                                 .least_restarts = 0,
                                 .spare = run.most_colliding,
                                 .most_colliding = run.most_colliding,
                                 .steps_each = 2,
                                 .step = run.step,
                                 .traced = false,
                                 .persistence = {run.persistence, run.most_restarts}},
                                0.0,
                                true,
                                {},
                                {},
                                {},
                                {}};
    for (const Variable& variable : variables) {
      numbers.lower.push_back(variable.lower);
      numbers.upper.push_back(variable.upper);
      numbers.turning.push_back(variable.periodic ? 1 : 0);
      numbers.unit.push_back(1.0);
    }
    return numbers;
  }
  // With seeds, only those.
  [[nodiscard]] SingleFound findSingle(std::int64_t t, const StepLimit& limit,
                                       const SeedSource& seeds = {}) const {
    SingleSearchNumbers numbers = singleNumbers();
    numbers.endless = !seeds;
    return findSingle(numbers, t, limit, seeds);
  }
  [[nodiscard]] SingleFound findSingle(const SingleSearchNumbers& numbers, std::int64_t t,
                                       const StepLimit& limit,
                                       const SeedSource& seeds = {}) const {
    const std::vector<double> points = recurrence();
    return SingleSearch(numbers).find(
        {&poses_[index(16 * t)], points.data(), limit, &check, &push, seeds});
  }
  Work findEach(const StepLimit& limit, const EachFound& found) const {
    const std::vector<double> points = recurrence();
    const auto count = static_cast<std::int64_t>(targets.size());
    return SingleSearch(singleNumbers())
        .findEach({poses_.data(), points.data(), limit}, count, found, {});
  }
  // The nearest to a seed state.
  [[nodiscard]] SingleFound findAbout(const Vector& seed_state, std::int64_t wanted) const {
    SingleSearchNumbers numbers = singleNumbers();
    Budget& budget = numbers.budget;
    budget.wanted = budget.looked_for = budget.enough = wanted;
    budget.least_restarts = budget.first_batch;
    budget.spare += kFar;
    const std::vector<double> points = recurrence();
    const Vector weights = Vector::Ones(seed_state.size());
    SingleTask task{poses_.data(), points.data(), 10000};
    task.seed_state = seed_state.data();
    task.weights = weights.data();
    return SingleSearch(numbers).find(task);
  }
  void setReference(const Vector& q) {
    std::copy(q.begin(), q.end(), box_.begin() + 4 * n_);
    std::fill_n(box_.begin() + 6 * n_, n_, 1.0);
  }

  // NOLINTBEGIN(*-non-private-member-variables-in-classes): tests look at them and change them
  std::vector<Target> targets;
  Run run{};
  CollisionCheck check;
  PushOut push;
  std::vector<double> shift;
  std::vector<std::int64_t> counts;
  std::vector<std::int32_t> heads;
  // NOLINTEND(*-non-private-member-variables-in-classes)

 private:
  [[nodiscard]] std::vector<double> recurrence() const {
    std::vector<double> points = shift;
    points.insert(points.end(), ratios_.begin(), ratios_.end());
    return points;
  }

  static constexpr std::int64_t kBuckets = 128;
  static constexpr std::int64_t kOfGrid = std::int64_t{2} * Grid::kJoints;

  void fillBox() {
    box_.assign(index(Box::kRows * n_), 0.0);
    for (std::int64_t v = 0; v < n_; ++v) {
      const Variable& variable = chain_.variables()[index(v)];
      const bool limited = std::isfinite(variable.lower);
      const std::array<double, 7> column = {limited ? variable.lower : -M_PI,
                                            limited ? variable.upper : M_PI,
                                            variable.lower,
                                            variable.upper,
                                            0.0,
                                            0.3,
                                            0.0};
      for (std::int64_t row = 0; row < Box::kRows; ++row) {
        box_[index(row * n_ + v)] = column.at(index(row));
      }
      shift.push_back(0.5);
      ratios_.push_back(std::fmod(std::sqrt(static_cast<double>(2 + 3 * v)), 1.0));
    }
  }

  void fillGrid() {
    grid_floats_ = {kDistinct};
    for (int k = 0; k < Grid::kJoints; ++k) {
      grid_floats_.push_back(k < n_ ? 1.0 / (8.0 * kDistinct) : 0.0);
      grid_ints_.push_back(k % n_);
    }
    grid_ints_.resize(index(kOfGrid + n_), 0);
    for (std::int64_t v = 0; v < n_; ++v) {
      grid_ints_[index(kOfGrid + v)] = chain_.variables()[index(v)].continuous ? 1 : 0;
    }
  }

  const Chain& chain_;
  PackedChain packed_;
  std::int64_t n_;
  std::int64_t capacity_;
  std::vector<double> poses_, box_, ratios_, grid_floats_;
  std::vector<std::int64_t> grid_ints_;
  std::vector<double> positions_;
  std::vector<SolutionNotes> errors_;
  std::vector<std::int64_t> visits_;
  std::vector<std::int32_t> before_;
  std::vector<Step> queue_;
  std::vector<double> closest_, memory_;
  std::array<Lane, kLanes> lanes_{};
};

std::vector<Eigen::Isometry3d> reachable(const Chain& chain, int count) {
  std::mt19937 random(7);
  std::vector<Eigen::Isometry3d> poses;
  poses.reserve(index(count));
  for (int i = 0; i < count; ++i) {
    poses.push_back(chain.tipInBase(test::randomPosition(chain, random)));
  }
  return poses;
}

// The problem where an error is 0 and the other one small: what it is packed into, see
// `ApproximateProblem`.
PackedChain preferring(const Chain& chain, const Tolerance& tolerance, std::int64_t preferred) {
  PackedChain problem = packed(chain, tolerance);
  problem.floats.push_back(1.0);
  problem.ints.push_back(preferred);
  return problem;
}

TEST(ChainSearch, KnowsTwoPreferences) {
  const Chain chain = test::railArm();
  for (const std::int64_t preferred : {0, 3, -1}) {
    const PackedChain problem = preferring(chain, Tolerance{}, preferred);
    EXPECT_FALSE(ChainProblem::takes(problem.view(), chain.size()));
  }
}

TEST(ChainSearch, GoesOnWhereItStopped) {
  const Chain chain = test::panda();
  Searched at_once(chain, reachable(chain, 2), 10);
  Searched in_steps(chain, reachable(chain, 2), 10);
  EXPECT_EQ(at_once.search(), RunStatus::kOver);
  int calls = 1;
  while (in_steps.search(3) == RunStatus::kOutOfSteps) {
    ++calls;
  }
  EXPECT_GT(calls, 3);
  EXPECT_EQ(in_steps.positions(), at_once.positions());
  EXPECT_EQ(in_steps.targets[1].iterations, at_once.targets[1].iterations);
}

TEST(ChainSearch, ClosesWhatIsOutOfReachWithoutASeed) {
  const Chain chain = test::panda();
  std::vector<Eigen::Isometry3d> poses = reachable(chain, 1);
  poses[0].translation().x() = 5.0;
  Searched searched(chain, poses, 1);
  EXPECT_EQ(searched.search(), RunStatus::kOver);
  EXPECT_EQ(searched.targets[0].restarts, 0);
}

TEST(ChainSearch, GivesUpWhatHasNoSolution) {
  const Chain chain = test::twoLinks();  // in the plane z = 0
  std::vector<Eigen::Isometry3d> poses = reachable(chain, 1);
  poses[0].translation().z() = 0.5;
  Searched searched(chain, poses, 1);
  EXPECT_EQ(searched.search(), RunStatus::kOver);
  EXPECT_EQ(searched.count(0), 0);
  EXPECT_GE(searched.targets[0].restarts_ended, 60);
  EXPECT_GT(searched.targets[0].closest_error, 1e-3);
}

TEST(SingleSearch, FindsWhatASearchForOneSolutionFinds) {
  const Chain chain = test::panda();
  const std::vector<Eigen::Isometry3d> poses = reachable(chain, 4);
  for (std::int64_t t = 0; t < 4; ++t) {
    Searched searched(chain, {poses[index(t)]}, 1, 63);
    ASSERT_EQ(searched.search(), RunStatus::kOver);
    const SingleFound found = searched.findSingle(0, 320);
    ASSERT_EQ(found.state, SingleFound::State::kSolved);
    EXPECT_TRUE(Eigen::Map<const Vector>(found.rows.data(), 7) == searched.solution(0, 0));
    EXPECT_EQ(found.work.iterations, searched.targets[0].iterations);
    EXPECT_LE(found.notes[0].distance, 1e-5);
  }
}

TEST(SingleSearch, FindsOneSolutionOfEachOfSeveralTargets) {
  const Chain chain = test::panda();
  std::vector<Eigen::Isometry3d> poses = reachable(chain, 70);
  poses[3].translation() *= 5.0;
  Searched searched(chain, poses, 1);
  std::vector<double> rows(poses.size() * 7);
  std::vector<OneFound> ones(poses.size());
  const Work work = searched.findEach(5000, {rows.data(), ones.data()});
  searched.searchInPieces(kSideBySide);
  std::int64_t iterations = 0;
  for (std::size_t t = 0; t < poses.size(); ++t) {
    const bool solved = t != 3;
    EXPECT_EQ(ones[t].state, solved ? SingleFound::State::kSolved : SingleFound::State::kNone);
    EXPECT_EQ(ones[t].distance <= 1e-5, solved);
    EXPECT_EQ(ones[t].seeds, searched.targets[t].restarts);
    iterations += searched.targets[t].iterations;
    if (solved) {
      EXPECT_TRUE(Eigen::Map<const Vector>(&rows[7 * t], 7) ==
                  searched.solution(static_cast<std::int64_t>(t), 0));
    }
  }
  EXPECT_EQ(work.iterations, iterations);
  EXPECT_EQ(work.distinct, 69);
  // Those that take many steps are left.
  searched.findEach(10, {rows.data(), ones.data()});
  EXPECT_GT(
      std::count_if(ones.begin(), ones.end(),
                    [](const OneFound& one) { return one.state == SingleFound::State::kLeft; }),
      10);
}

TEST(SingleSearch, ChoosesAmongThoseThatASearchFinds) {
  const Chain chain = test::panda();
  Searched searched(chain, reachable(chain, 1), 12);
  SingleSearchNumbers numbers = searched.singleNumbers();
  numbers.budget.wanted = 5;
  const SingleFound found = searched.findSingle(numbers, 0, 1000);
  ASSERT_EQ(searched.search(), RunStatus::kOver);
  ASSERT_EQ(found.state, SingleFound::State::kSolved);
  EXPECT_EQ(found.work.distinct, searched.count(0));
  EXPECT_EQ(found.work.iterations, searched.targets[0].iterations);
  ASSERT_EQ(found.notes.size(), 5);
  ASSERT_EQ(found.rows.size(), 35);
  std::set<std::int64_t> chosen;
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_LE(found.notes[k].distance, 1e-5);
    for (std::int64_t i = 0; i < searched.count(0); ++i) {
      if (Eigen::Map<const Vector>(&found.rows[7 * k], 7) == searched.solution(0, i)) {
        chosen.insert(i);
      }
    }
  }
  EXPECT_EQ(chosen.size(), 5);
  EXPECT_EQ(searched.findSingle(numbers, 0, 3).state, SingleFound::State::kLeft);
}

TEST(SingleSearch, SaysThatItHasNoneOrIsNotOver) {
  const Chain chain = test::panda();
  std::vector<Eigen::Isometry3d> poses = reachable(chain, 2);
  poses[0].translation().x() = 5.0;
  Searched searched(chain, poses, 1);
  EXPECT_EQ(searched.findSingle(0, 320).state, SingleFound::State::kNone);
  EXPECT_EQ(searched.findSingle(1, 1).state, SingleFound::State::kLeft);
  searched.check = [](const double*) { return Verdict::kColliding; };
  EXPECT_EQ(searched.findSingle(1, 320).state, SingleFound::State::kLeft);
}

TEST(SingleSearch, IsLeftWhenItsCheckpointSaysSo) {
  const Chain chain = test::panda();
  Searched searched(chain, reachable(chain, 1), 1, 63);
  searched.check = [](const double*) { return Verdict::kColliding; };
  constexpr std::int64_t kMany = 1 << 12;
  const parallel::StopWhen late = {parallel::Clock::now(), {}};
  std::atomic<bool> ended{false};
  parallel::Checkpoint checkpoint(late, ended, true);
  const std::int64_t all = searched.findSingle(0, kMany).work.iterations;
  const SingleFound found = searched.findSingle(0, {kMany, &checkpoint});
  EXPECT_EQ(found.state, SingleFound::State::kLeft);
  EXPECT_LT(found.work.iterations, all / 2);
}

TEST(SingleSearch, TakesSeedsThatAreGivenAndEndsWithThem) {
  const Chain chain = test::panda();
  Searched searched(chain, reachable(chain, 1), 1, 63);
  ASSERT_EQ(searched.search(), RunStatus::kOver);
  const Vector q = searched.solution(0, 0);
  std::vector<std::int64_t> asked;
  const auto once = [&](std::int64_t before, std::int64_t /*count*/) {
    asked.push_back(before);
    return before == 0 ? std::span<const double>(q.data(), 7) : std::span<const double>();
  };
  const SingleFound found = searched.findSingle(0, 320, once);
  ASSERT_EQ(found.state, SingleFound::State::kSolved);
  EXPECT_EQ(found.work.restarts, 1);
  EXPECT_LT((Eigen::Map<const Vector>(found.rows.data(), 7) - q).cwiseAbs().maxCoeff(), 1e-4);
  searched.check = [](const double*) { return Verdict::kColliding; };
  const SingleFound colliding = searched.findSingle(0, 320, once);
  EXPECT_EQ(colliding.state, SingleFound::State::kLeft);
  EXPECT_EQ(colliding.work.restarts, 1);
  EXPECT_EQ(asked, (std::vector<std::int64_t>{0, 0, 1}));
}

TEST(SingleSearch, FindsTheNearestToASeedStateInOrder) {
  const Chain chain = test::panda();
  const Searched searched(chain, reachable(chain, 1), 12);
  Vector seed_state(7);
  seed_state << 0.1, -0.3, 0.2, -1.8, 0.1, 1.6, 0.5;
  const SingleFound ten = searched.findAbout(seed_state, 10);
  ASSERT_EQ(ten.state, SingleFound::State::kSolved);
  ASSERT_EQ(ten.notes.size(), 10);
  const auto distance = [&](const SingleFound& found, std::size_t k) {
    return (Eigen::Map<const Vector>(&found.rows[7 * k], 7) - seed_state).norm();
  };
  for (std::size_t k = 0; k < 10; ++k) {
    EXPECT_LE(ten.notes[k].distance, 1e-5);
    EXPECT_LE(k == 0 ? 0.0 : distance(ten, k - 1), distance(ten, k));
  }
  const SingleFound anywhere = searched.findSingle(0, 1000);
  ASSERT_EQ(anywhere.state, SingleFound::State::kSolved);
  for (std::size_t k = 0; k < anywhere.notes.size(); ++k) {
    EXPECT_GE(distance(anywhere, k), distance(ten, 0) - 1e-3);
  }
  SingleSearchNumbers numbers = searched.singleNumbers();
  numbers.budget.least_restarts = numbers.budget.first_batch;
  EXPECT_THROW((void)searched.findSingle(numbers, 0, 10), std::invalid_argument);
}

TEST(SingleSearch, NumbersThatDoNotBelongTogetherAreRefused) {
  const Chain chain = test::panda();
  const SingleSearchNumbers right = Searched(chain, reachable(chain, 1), 1).singleNumbers();
  SingleSearchNumbers box = right;
  box.box.pop_back();
  EXPECT_THROW(SingleSearch{box}, std::invalid_argument);
  SingleSearchNumbers problem = right;
  problem.floats.pop_back();
  EXPECT_THROW(SingleSearch{problem}, std::invalid_argument);
  SingleSearchNumbers grid = right;
  grid.grid_ints[0] = 7;
  EXPECT_THROW(SingleSearch{grid}, std::invalid_argument);
  SingleSearchNumbers bounds = right;
  bounds.unit.pop_back();
  EXPECT_THROW(SingleSearch{bounds}, std::invalid_argument);
}

TEST(ChainSearch, AsksForSeedsWhereNoneFollow) {
  const Chain chain = test::railArm();
  Searched searched(chain, reachable(chain, 1), 1);
  searched.run.endless = false;
  EXPECT_EQ(searched.search(), RunStatus::kOutOfSeeds);
  EXPECT_TRUE(searched.targets[0].needs_seeds);
}

TEST(ChainSearch, KeepsSolutionsThatCollideApart) {
  const Chain chain = test::panda();
  Searched searched(chain, reachable(chain, 1), 20, 40);
  searched.check = [](const double* q) {
    return q[0] > 0.0 ? Verdict::kFree : Verdict::kColliding;
  };
  EXPECT_EQ(searched.search(), RunStatus::kOver);
  std::int64_t free = 0;
  for (std::int64_t k = 0; k < searched.count(0); ++k) {
    const bool collides = searched.pool().notes(0, k).collides();
    EXPECT_EQ(collides, searched.solution(0, k)[0] <= 0.0);
    free += collides ? 0 : 1;
  }
  EXPECT_EQ(searched.targets[0].free, free);
  EXPECT_EQ(searched.targets[0].usable, free);
}

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

TEST(ChainSearch, PushesSolutionsOutOfCollisionsWhereNoneIsFree) {
  constexpr double kFree = 0.9;
  const Chain chain = snake();
  Vector goal = Vector::Constant(12, 0.3);
  goal[0] = kFree;
  Searched pushed(chain, {chain.tipInBase(goal)}, 1, 63);
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
  EXPECT_EQ(pushed.targets[0].free, 1);
  EXPECT_LT(2 * pushed.targets[0].iterations, left.targets[0].iterations);
  // What was pushed had been kept, as what collides is.
  EXPECT_TRUE(pushed.pool().notes(0, 0).collides());
}

TEST(ChainSearch, LeavesSolutionsOfArmsWhereTheyAre) {
  const Chain chain = test::panda();
  Searched searched(chain, reachable(chain, 1), 1, 63);
  searched.check = [](const double* q) {
    return q[0] > 0.0 ? Verdict::kFree : Verdict::kColliding;
  };
  searched.push = [](const double* /*q*/) -> const double* { throw std::logic_error("pushed"); };
  EXPECT_EQ(searched.search(), RunStatus::kOver);
}

TEST(PushOut, StepsLeadOutOfWhatTheyAreNotTooDeepIn) {
  const CollisionWorld world(test::armWithBall());
  const PushOut push = pushOutIn(world);
  // The pillar stands at -pi / 2.
  for (double q = -0.5 * M_PI; q < 0.0; q += 0.01) {
    const double gap = test::gapOfPillar(q);
    const double* const outside = push(&q);
    ASSERT_EQ(outside != nullptr, -kPushOptions.deepest <= gap && gap < kMarginWanted);
    if (outside != nullptr) {
      EXPECT_GT(*outside, q);
      EXPECT_GT(test::gapOfPillar(*outside), kPushOptions.margin);
    }
  }
}

TEST(ChainSearch, ComesAsNearToTheSeedStateAsTheSolutionSet) {
  const Chain chain = test::panda();
  std::mt19937 random(3);
  Vector seed(7);
  seed << 0.1, -0.3, 0.2, -1.8, 0.1, 1.6, 0.4;
  Vector moved = seed;
  moved[0] += 0.3;
  moved[3] -= 0.2;
  Searched searched(chain, {chain.tipInBase(moved)}, 1, 96);
  searched.run.min_restarts = 32;
  searched.setReference(seed);
  EXPECT_EQ(searched.search(), RunStatus::kOver);
  const Target& target = searched.targets[0];
  EXPECT_EQ(target.towards_seed_ended, 24);
  double nearest = std::numeric_limits<double>::infinity();
  for (std::int64_t k = 0; k < searched.count(0); ++k) {
    nearest = std::min(nearest, (searched.solution(0, k) - seed).squaredNorm());
  }
  EXPECT_LT(nearest, (moved - seed).squaredNorm());
  EXPECT_DOUBLE_EQ(nearest, target.closest_error);
}

TEST(ChainSearch, ThreadsFindWhatOneSearchOfEachPieceFinds) {
  const Chain chain = test::panda();
  const std::vector<Eigen::Isometry3d> poses = reachable(chain, 50);
  Searched by_threads(chain, poses, 5);
  by_threads.searchInPieces(8);
  Searched in_turns(chain, poses, 5);
  for (std::int64_t first = 0; first < 50; first += 8) {
    in_turns.run.begun = false;
    in_turns.run.first = in_turns.run.next_target = first;
    in_turns.run.last = std::min<std::int64_t>(first + 8, 50);
    EXPECT_EQ(in_turns.search(), RunStatus::kOver);
  }
  EXPECT_EQ(by_threads.positions(), in_turns.positions());
  EXPECT_TRUE(std::all_of(by_threads.targets.begin(), by_threads.targets.end(),
                          [](const Target& target) { return target.closed; }));
}

// The deadline comes long before all solutions of a pose are found.
TEST(ChainSearch, ThreadsLeaveOffLongSearches) {
  const Chain chain = test::panda();
  Searched searched(chain, reachable(chain, 4), 1'000'000);
  const parallel::StopWhen stop = {parallel::after(0.002), {}};
  searched.searchInPieces(1, stop);
  EXPECT_LT(parallel::Clock::now(), stop.deadline + std::chrono::seconds(5));
  EXPECT_FALSE(searched.targets[0].closed);
}

// As it is where targets need more seeds.
TEST(Consistency, OfASearchThatIsToGoOnIsGiven) {
  const Chain chain = test::panda();
  Searched searched(chain, reachable(chain, 3), 20);
  EXPECT_EQ(faultOf(searched.arrays(), searched.sizes()), nullptr);
  searched.run.endless = false;
  EXPECT_EQ(searched.search(), RunStatus::kOutOfSeeds);
  searched.run.begun = false;
  EXPECT_EQ(faultOf(searched.arrays(), searched.sizes()), nullptr);
}

TEST(Consistency, WhatNoSearchHasLeftIsNamed) {
  const Chain chain = test::panda();
  const auto fault_after = [&chain](const auto& change) -> std::string {
    Searched searched(chain, reachable(chain, 1), 200);
    searched.search(60);
    searched.run.begun = searched.run.endless = false;
    change(searched);
    const char* fault = faultOf(searched.arrays(), searched.sizes());
    return fault == nullptr ? "" : std::string(fault).substr(0, std::string(fault).find(':'));
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(fault_after([](Searched&) {}), "");
  EXPECT_EQ(fault_after([nan](Searched& one) { one.shift[2] = nan; }), "recurrence");
  EXPECT_EQ(fault_after([nan](Searched& one) {
              Vector reference = Vector::Zero(7);
              reference[1] = nan;
              one.setReference(reference);
            }),
            "box");
  EXPECT_EQ(fault_after([](Searched& one) { one.run.next_target = -1; }), "run");
  EXPECT_EQ(fault_after([](Searched& one) { one.run.last = 2; }), "run");
  EXPECT_EQ(fault_after([](Searched& one) { one.counts[0] = 10'000; }), "targets");
  EXPECT_EQ(fault_after([](Searched& one) { one.counts[0] = -1; }), "targets");
  EXPECT_EQ(fault_after([](Searched& one) { one.targets[0].nearest = 1000; }), "targets");
  EXPECT_EQ(fault_after([](Searched& one) { one.targets[0].queue_end = 1000; }), "targets");
  EXPECT_EQ(fault_after([](Searched& one) { one.targets[0].round_ended = 1000; }), "targets");
  EXPECT_EQ(fault_after([](Searched& one) { one.targets[0].restarts = -5; }), "targets");
  EXPECT_EQ(fault_after([](Searched& one) { one.heads[5] = 10'000; }), "targets");
  EXPECT_EQ(fault_after([](Searched& one) { one.heads[5] = one.heads[6] = 0; }), "targets");
}

TEST(ChainSearch, SeedsAroundASeedStateBeginThereAndSpread) {
  const Chain chain = test::panda();
  Searched search(chain, reachable(chain, 1), 1);
  search.run.min_restarts = 100;
  std::vector<double> q(7);
  SearchArrays arrays = search.arrays();
  arrays.q = q.data();
  const auto distance = [&](std::int64_t restart) {
    search.targets[0].restarts = restart;
    writeRestart(arrays, false, 0);
    double most = 0.0;
    for (std::size_t v = 0; v < q.size(); ++v) {
      most = std::max(most, std::abs(q[v] - arrays.box.reference[v]));
    }
    return most;
  };
  EXPECT_EQ(distance(1), 0.0);
  EXPECT_LT(distance(10), 0.1);
  EXPECT_GT(std::max({distance(98), distance(99), distance(100)}), 0.5);
}

TEST(ChainSearch, ProblemsOfOtherNumbersAreRefused) {
  const Chain chain = test::panda();
  PackedChain numbers = packed(chain, Tolerance{});
  EXPECT_TRUE(ChainProblem::takes(numbers.view(), 7));
  EXPECT_FALSE(ChainProblem::takes(numbers.view(), 6));
  numbers.ints.back() = 7;
  EXPECT_FALSE(ChainProblem::takes(numbers.view(), 7));
  numbers.ints.back() = 6;
  numbers.floats.pop_back();
  EXPECT_FALSE(ChainProblem::takes(numbers.view(), 7));
}

}  // namespace
}  // namespace generative_ik::search

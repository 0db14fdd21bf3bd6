#include "first_search.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

#include "chain_problem.hpp"
#include "chain_search.hpp"
#include "consistency.hpp"
#include "goal_search.hpp"

namespace generative_ik::search {
namespace {

// Solutions that there is room for, which collide but for the last, and buckets of their cells.
constexpr std::int64_t kCapacity = 64;
constexpr std::int64_t kBuckets = 128;

void require(bool condition, const char* what) {
  if (!condition) {
    throw std::invalid_argument(what);
  }
}

/// What is known of the one target, and its solutions.
struct Memory {
  explicit Memory(std::int64_t size, std::int64_t search_size)
      : numbers(std::make_unique_for_overwrite<double[]>(  // NOLINT(*-avoid-c-arrays): not cleared
            static_cast<std::size_t>(search_size + (kCapacity + 1) * size))),
        positions(numbers.get() + search_size),
        closest(positions + kCapacity * size) {
    heads.fill(-1);
  }

  std::unique_ptr<double[]> numbers;  // NOLINT(*-avoid-c-arrays)
  double* positions;
  double* closest;
  std::array<SolutionNotes, kCapacity> notes;
  std::array<std::int64_t, kCapacity> visits;
  std::array<std::int32_t, kCapacity> before;
  std::array<std::int32_t, kBuckets> heads;
  std::array<Step, 2> steps;
  std::array<Lane, kLanes> lanes{};
  std::int64_t count = 0;
  Target target{};
  Run run{};
};

}  // namespace

FirstSearch::FirstSearch(FirstSearchNumbers numbers) : numbers_(std::move(numbers)) {
  packed_ = {numbers_.floats.data(), numbers_.floats.size(), numbers_.ints.data(),
             numbers_.ints.size()};
  size_ = static_cast<std::int64_t>(numbers_.box.size()) / Box::kRows;
  require(static_cast<std::int64_t>(numbers_.box.size()) == Box::kRows * size_,
          "box: expected seven rows");
  if (numbers_.goals) {
    require(goals_.read(packed_) && goals_.tree.num_variables == size_ && goals_.fits(1),
            "problem: not one of so many joints and one target");
    memory_ = goalSearchMemory(goals_);
  } else {
    require(ChainProblem::takes(packed_, size_), "problem: not one of so many joints");
    memory_ = searchMemory(packed_.ints[0], size_);
  }
  const auto grid_ints = static_cast<std::int64_t>(numbers_.grid_ints.size());
  require(numbers_.grid_floats.size() == 1 + Grid::kJoints &&
              grid_ints == 2 * Grid::kJoints + size_ &&
              Grid::of(numbers_.grid_floats.data(), numbers_.grid_ints.data()).fits(size_),
          "grid: not one of so many joints");
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  require(numbers_.first_batch >= 0 && numbers_.first_batch <= kMost &&
              numbers_.most_restarts >= 0 && numbers_.most_restarts <= kMost,
          "restarts: none that can be counted");
}

FirstFound FirstSearch::find(const double* target, const double* points, std::int64_t max_steps,
                             const CollisionCheck* check, const PushOut* push,
                             std::span<const double> seeds) const {
  Memory memory(size_, memory_);
  const Box box = Box::of(numbers_.box.data(), size_);
  std::copy_n(box.reference, size_, memory.closest);
  memory.target.restarts_left = numbers_.first_batch;
  memory.target.closest_error = std::numeric_limits<double>::infinity();
  memory.run.last = memory.run.num_solutions = memory.run.wanted = 1;
  memory.run.endless = seeds.empty();
  memory.run.step = numbers_.step;
  memory.run.most_colliding = kCapacity - 1;
  memory.run.persistence = numbers_.persistence;
  memory.run.most_restarts = numbers_.most_restarts;
  SearchArrays arrays{};
  arrays.box = box;
  arrays.seeds = {seeds.data(),  std::ssize(seeds) / size_, 0, seeds.empty(), points,
                  points + size_};
  arrays.pool = {Grid::of(numbers_.grid_floats.data(), numbers_.grid_ints.data()),
                 size_,
                 kCapacity,
                 kBuckets,
                 memory.positions,
                 memory.notes.data(),
                 memory.visits.data(),
                 &memory.count,
                 memory.heads.data(),
                 memory.before.data()};
  arrays.queue = {memory.steps.data(), std::ssize(memory.steps)};
  arrays.targets = &memory.target;
  arrays.closest = memory.closest;
  arrays.lanes = memory.lanes.data();
  arrays.run = &memory.run;
  arrays.check = check;
  arrays.push = push;
  if (const char* fault = faultOf(arrays, {1, 1, seeds.empty() ? 0 : 1})) {
    throw std::invalid_argument(fault);
  }
  if (numbers_.goals) {
    searchGoals(goals_, target, memory.numbers.get(), arrays, max_steps);
  } else {
    searchChain(packed_, target, memory.numbers.get(), arrays, max_steps);
  }
  FirstFound found{FirstFound::State::kLeft, {}, {}, workOf(&memory.target, 1), memory.count};
  const double* row = memory.closest;
  if (memory.target.free > 0) {
    // Seeds that end in the same step may have been kept after the one that is free.
    const auto* notes =
        std::find_if(memory.notes.begin(), memory.notes.begin() + memory.count,
                     [](const SolutionNotes& each) { return each.checked() == Verdict::kFree; });
    found.state = FirstFound::State::kSolved;
    found.notes = *notes;
    row = memory.positions + (notes - memory.notes.begin()) * size_;
  } else if (memory.target.closed && memory.count == 0 &&
             memory.target.closest_error >= numbers_.near) {
    found.state = FirstFound::State::kNone;
  }
  found.q.assign(row, row + size_);
  return found;
}

}  // namespace generative_ik::search

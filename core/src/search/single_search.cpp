#include "single_search.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

#include "../select/diverse_order.hpp"
#include "chain_problem.hpp"
#include "chain_search.hpp"
#include "consistency.hpp"
#include "goal_search.hpp"

namespace generative_ik::search {
namespace {

void require(bool condition, const char* what) {
  if (!condition) {
    throw std::invalid_argument(what);
  }
}

}  // namespace

/// What is known of the one target, and its solutions.
struct SingleSearch::Memory {
  Memory(const SingleSearchNumbers& numbers, std::int64_t size, std::int64_t search_size)
      : capacity(numbers.looked_for + numbers.colliding),
        rows(std::make_unique_for_overwrite<double[]>(  // NOLINT(*-avoid-c-arrays): not cleared
            static_cast<std::size_t>(search_size + (capacity + 1) * size))),
        positions(rows.get() + search_size),
        closest(positions + capacity * size),
        notes(static_cast<std::size_t>(capacity)),
        visits(static_cast<std::size_t>(capacity)),
        before(static_cast<std::size_t>(capacity)),
        heads(static_cast<std::size_t>(numbers.buckets), -1),
        steps(static_cast<std::size_t>(numbers.steps)) {}

  std::int64_t capacity;
  std::unique_ptr<double[]> rows;  // NOLINT(*-avoid-c-arrays)
  double* positions;
  double* closest;
  std::vector<SolutionNotes> notes;
  std::vector<std::int64_t> visits;
  std::vector<std::int32_t> before;
  std::vector<std::int32_t> heads;
  std::vector<Step> steps;
  std::array<Lane, kLanes> lanes{};
  std::int64_t count = 0;
  Target target{};
  Run run{};
};

SingleSearch::SingleSearch(SingleSearchNumbers numbers) : numbers_(std::move(numbers)) {
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
  checkRoom();
  turning_ = std::make_unique<bool[]>(  // NOLINT(*-avoid-c-arrays): what others read
      numbers_.turning.size());
  std::copy(numbers_.turning.begin(), numbers_.turning.end(), turning_.get());
}

void SingleSearch::checkRoom() const {
  constexpr std::int64_t kMost = 1 << 20;
  const auto counted = [](std::int64_t number) { return 0 <= number && number <= kMost; };
  require(numbers_.wanted > 0 && numbers_.wanted <= numbers_.looked_for &&
              numbers_.wanted <= numbers_.enough && numbers_.enough <= numbers_.looked_for &&
              counted(numbers_.looked_for) && counted(numbers_.colliding),
          "wanted: not a number of solutions that are looked for");
  require(counted(numbers_.steps), "steps: more than there are");
  require(counted(numbers_.buckets) &&
              std::has_single_bit(static_cast<std::uint64_t>(numbers_.buckets)),
          "buckets: not a power of two");
  const auto each = [this](const auto& numbers) { return std::ssize(numbers) == size_; };
  require(each(numbers_.lower) && each(numbers_.upper) && each(numbers_.turning) &&
              each(numbers_.unit),
          "bounds: not those of so many joints");
}

SingleFound SingleSearch::find(const double* target, const double* points, const StepLimit& limit,
                               const CollisionCheck* check, const PushOut* push,
                               std::span<const double> seeds) const {
  Memory memory(numbers_, size_, memory_);
  const Box box = Box::of(numbers_.box.data(), size_);
  std::copy_n(box.reference, size_, memory.closest);
  memory.target.restarts_left = numbers_.first_batch;
  memory.target.closest_error = std::numeric_limits<double>::infinity();
  memory.run.last = 1;
  memory.run.num_solutions = numbers_.looked_for;
  memory.run.wanted = numbers_.enough;
  memory.run.traced = numbers_.traced;
  memory.run.endless = seeds.empty();
  memory.run.step = numbers_.step;
  memory.run.most_colliding = numbers_.colliding;
  memory.run.persistence = numbers_.persistence;
  memory.run.most_restarts = numbers_.most_restarts;
  SearchArrays arrays{};
  arrays.box = box;
  arrays.seeds = {seeds.data(),  std::ssize(seeds) / size_, 0, seeds.empty(), points,
                  points + size_};
  arrays.pool = {Grid::of(numbers_.grid_floats.data(), numbers_.grid_ints.data()),
                 size_,
                 memory.capacity,
                 numbers_.buckets,
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
    searchGoals(goals_, target, memory.rows.get(), arrays, limit);
  } else {
    searchChain(packed_, target, memory.rows.get(), arrays, limit);
  }
  SingleFound found{SingleFound::State::kLeft, {}, {}, workOf(&memory.target, 1), memory.count};
  found.state = write(memory, found);
  return found;
}

SingleFound::State SingleSearch::write(const Memory& memory, SingleFound& found) const {
  const bool one = numbers_.wanted == 1;
  if (memory.target.free > 0 && (one || memory.target.closed)) {
    if (one) {
      writeFirstFree(memory, size_, found);
    } else {
      writeMostDiverse(memory, found);
    }
    return SingleFound::State::kSolved;
  }
  found.rows.assign(memory.closest, memory.closest + size_);
  const bool none =
      memory.target.closed && memory.count == 0 && memory.target.closest_error >= numbers_.near;
  return none ? SingleFound::State::kNone : SingleFound::State::kLeft;
}

void SingleSearch::writeFirstFree(const Memory& memory, std::int64_t size, SingleFound& found) {
  // Seeds that end in the same step may have been kept after the one that is free.
  const auto free =
      std::find_if(memory.notes.begin(), memory.notes.begin() + memory.count,
                   [](const SolutionNotes& each) { return each.checked() == Verdict::kFree; });
  const double* row = memory.positions + (free - memory.notes.begin()) * size;
  found.notes = {*free};
  found.rows.assign(row, row + size);
}

void SingleSearch::writeMostDiverse(const Memory& memory, SingleFound& found) const {
  const std::int64_t count = std::min(numbers_.wanted, memory.count);
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::vector<float> coordinates;
  diverseOrder({memory.positions, memory.count, size_, numbers_.lower.data(),
                numbers_.upper.data(), turning_.get(), numbers_.unit.data()},
               count, kOrderWork, coordinates, order.data());
  found.rows.reserve(static_cast<std::size_t>(count * size_));
  found.notes.reserve(static_cast<std::size_t>(count));
  for (const std::int64_t k : order) {
    const double* row = memory.positions + k * size_;
    found.rows.insert(found.rows.end(), row, row + size_);
    found.notes.push_back(memory.notes[static_cast<std::size_t>(k)]);
  }
}

}  // namespace generative_ik::search

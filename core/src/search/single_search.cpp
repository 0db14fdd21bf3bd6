#include "single_search.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "../parallel/for_each.hpp"
#include "../select/diverse_order.hpp"
#include "../simd/constants.hpp"
#include "chain_problem.hpp"
#include "consistency.hpp"
#include "pool_rows.hpp"

namespace generative_ik::search {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kOfPose = 16;

void require(bool condition, const char* what) {
  if (!condition) {
    throw std::invalid_argument(what);
  }
}

}  // namespace

/// What is known of the one target, or of a few, and memory of the lanes.
struct SingleSearch::Memory {
  [[nodiscard]] Pool pool() const { return search.pool({}); }
  [[nodiscard]] std::int64_t count() const { return search.count(0); }
  [[nodiscard]] const Target& target() const { return search.target(0); }

  SearchMemory search;
  std::unique_ptr<double[]> rows;  // NOLINT(*-avoid-c-arrays): not cleared
  Run run;
  std::array<Lane, kLanes> lanes{};
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
  } else {
    require(ChainProblem::takes(packed_, size_), "problem: not one of so many joints");
  }
  memory_ = problemOf(nullptr).memory();
  const auto grid_ints = static_cast<std::int64_t>(numbers_.grid_ints.size());
  require(numbers_.grid_floats.size() == 1 + Grid::kJoints &&
              grid_ints == 2 * Grid::kJoints + size_ && grid().fits(size_),
          "grid: not one of so many joints");
  const auto each = [this](const auto& row) { return std::ssize(row) == size_; };
  require(each(numbers_.lower) && each(numbers_.upper) && each(numbers_.turning) &&
              each(numbers_.unit),
          "bounds: not those of so many joints");
  turning_ = std::make_unique<bool[]>(  // NOLINT(*-avoid-c-arrays): what others read
      numbers_.turning.size());
  std::copy(numbers_.turning.begin(), numbers_.turning.end(), turning_.get());
}

std::vector<double> SingleSearch::boxAbout(const SingleTask& task) const {
  std::vector<double> rows = numbers_.box;
  const auto row = [&](std::int64_t k) { return rows.begin() + k * size_; };
  const auto lower = row(0);
  const auto upper = row(1);
  const auto soft_lower = row(2);
  const auto reference = row(4);
  for (std::int64_t v = 0; v < size_; ++v) {
    const double seed = task.seed_state[v];
    if (soft_lower[v] == -kInfinity) {  // the box is a turn about it
      lower[v] = seed - kPi;
      upper[v] = seed + kPi;
    }
    reference[v] = std::min(std::max(seed, lower[v]), upper[v]);
  }
  std::copy_n(task.weights, size_, row(6));
  return rows;
}

SingleSearch::Memory SingleSearch::memoryFor(const Box& box, std::int64_t spare,
                                             std::int64_t num_targets) const {
  const Budget& budget = numbers_.budget;
  const Room room = {num_targets, size_, budget.looked_for + spare, budget.looked_for,
                     budget.steps_each * budget.looked_for};
  Memory memory{{room, budget.first_batch, box.reference},
                std::make_unique_for_overwrite<double[]>(  // NOLINT(*-avoid-c-arrays)
                    static_cast<std::size_t>(memory_)),
                budget.run(num_targets)};
  memory.run.endless = numbers_.endless;
  return memory;
}

SearchArrays SingleSearch::arraysOf(Memory& memory, const Box& box, const SingleTask& task) const {
  SearchArrays arrays = memory.search.arrays(box, grid(), memory.run);
  arrays.seeds = {nullptr, 0, 0, numbers_.endless, task.points, task.points + size_};
  arrays.lanes = memory.lanes.data();
  arrays.check = task.check;
  arrays.push = task.push;
  return arrays;
}

// Searches with seeds that follow those before, until these are used up.
RunStatus SingleSearch::searchWith(std::span<const double> seeds, Memory& memory,
                                   SearchArrays& arrays, const SingleTask& task) const {
  memory.search.target(0).needs_seeds = memory.run.begun = false;
  memory.run.next_target = 0;
  memory.run.seeds_before = memory.target().restarts;
  arrays.seeds.given = seeds.data();
  arrays.seeds.count = std::ssize(seeds) / size_;
  arrays.seeds.before = memory.run.seeds_before;
  const std::int64_t count = memory.run.last;
  if (const char* fault = faultOf(arrays, {count, count, seeds.empty() ? 0 : count})) {
    throw std::invalid_argument(fault);
  }
  return problemOf(task.target).search(memory.rows.get(), arrays, task.limit);
}

SingleFound SingleSearch::find(const SingleTask& task) const {
  const Budget& budget = numbers_.budget;
  const bool around = budget.around();
  require(!around || (task.seed_state != nullptr && task.weights != nullptr),
          "seed_state: none to search about");
  const std::vector<double> about = around ? boxAbout(task) : std::vector<double>();
  const Box box = Box::of(around ? about.data() : numbers_.box.data(), size_);
  Memory memory = memoryFor(box, budget.spare);
  SearchArrays arrays = arraysOf(memory, box, task);
  searchOn(memory, arrays, task);
  SingleFound found{SingleFound::State::kLeft, {}, {}, memory.search.work()};
  found.state = writeTo(found, memory, task);
  return found;
}

void SingleSearch::searchOn(Memory& memory, SearchArrays& arrays, const SingleTask& task) const {
  const Budget& budget = numbers_.budget;
  const Target& target = memory.target();
  Decisions decisions{budget.wanted, budget.looked_for, budget.around()};
  decisions.collides = task.collides;
  std::span<const double> seeds;
  if (budget.around() && task.first != nullptr) {
    seeds = {task.first, static_cast<std::size_t>(size_)};
  } else if (task.seeds && !budget.around()) {
    seeds = task.seeds(0, budget.first_batch);
  }
  RunStatus status = searchWith(seeds, memory, arrays, task);
  while (true) {
    const bool undecided = status == RunStatus::kOver && target.usable > target.free;
    if (status == RunStatus::kOutOfSeeds && task.seeds) {
      seeds =
          task.seeds(target.restarts, nextBatch(target.restarts_ended, target.restarts_converged));
      if (seeds.empty()) {
        return;
      }
      status = searchWith(seeds, memory, arrays, task);
    } else if (undecided && task.collides && decide(decisions, arrays, 0, 1, {})) {
      memory.run.next_target = 0;
      status = problemOf(task.target).search(memory.rows.get(), arrays, task.limit);
    } else {
      return;
    }
  }
}

Work SingleSearch::findEach(const SingleTask& task, std::int64_t count, const EachFound& found,
                            const parallel::StopWhen& stop) const {
  require(numbers_.budget.looked_for == 1 && !numbers_.budget.around(),
          "search: not one for one solution of each of several targets");
  require(!numbers_.goals || goals_.fits(count), "targets: not as many as regions");
  Work work;
  std::mutex mutex;
  const auto find = [&](std::int64_t piece, parallel::Checkpoint& checkpoint) {
    const std::int64_t first = piece * kSideBySide;
    const Work some =
        findSideBySide(task, {&checkpoint, first, std::min(first + kSideBySide, count)}, found);
    const std::lock_guard lock(mutex);
    work += some;
  };
  parallel::forEach((count + kSideBySide - 1) / kSideBySide, find, stop);
  return work;
}

Work SingleSearch::findSideBySide(const SingleTask& task, const Piece& piece,
                                  const EachFound& found) const {
  // They have memory for one thread.
  const CollisionCheck check = task.check != nullptr ? *task.check : CollisionCheck();
  const PushOut push = task.push != nullptr ? *task.push : PushOut();
  const std::int64_t count = piece.last - piece.first;
  const Box box = Box::of(numbers_.box.data(), size_);
  Memory memory = memoryFor(box, check ? numbers_.budget.spare : 0, count);
  SingleTask own = task;
  own.target += piece.first * kOfPose * std::max<std::int64_t>(numGoals(), 1);
  own.limit.checkpoint = piece.checkpoint;
  own.check = &check;
  own.push = &push;
  SearchArrays arrays = arraysOf(memory, box, own);
  memory.run.most_colliding = arrays.pool.capacity - 1;
  searchWith({}, memory, arrays, own);
  for (std::int64_t t = 0; t < count; ++t) {
    // Seeds that end in the same step may have been kept after it.
    const std::int64_t free = firstFree(arrays.pool, t);
    const Target& target = memory.search.target(t);
    OneFound& one = found.ones[piece.first + t];
    one = {stateOf(memory, t), kNone, kNone, target.restarts + target.null_space_seeds};
    const double* row = arrays.closestTo(t);
    if (free >= 0) {
      const SolutionNotes& notes = arrays.pool.notes(t, free);
      one = {SingleFound::State::kSolved, notes.distance, notes.angle, one.seeds};
      row = arrays.pool.position(t, free);
    }
    std::copy_n(row, size_, found.rows + (piece.first + t) * size_);
  }
  return memory.search.work();
}

SingleFound::State SingleSearch::writeTo(SingleFound& found, const Memory& memory,
                                         const SingleTask& task) const {
  const Budget& budget = numbers_.budget;
  const bool any = budget.wanted == 1 && !budget.around();
  const Target& target = memory.target();
  const bool decided = task.collides != nullptr || target.usable == target.free;
  if (target.free > 0 && (any || (target.closed && decided))) {
    if (any) {
      const std::int64_t free = firstFree(memory.pool(), 0);
      write(memory, {&free, 1}, found);
    } else if (budget.around()) {
      writeNearest(memory, {task.seed_state, task.weights}, found);
    } else {
      writeMostDiverse(memory, found);
    }
    return SingleFound::State::kSolved;
  }
  const double* closest = memory.search.closest();
  found.rows.assign(closest, closest + size_);
  return stateOf(memory, 0);
}

SingleFound::State SingleSearch::stateOf(const Memory& memory, std::int64_t t) const {
  const Target& target = memory.search.target(t);
  const bool none =
      target.closed && memory.search.count(t) == 0 && target.closest_error >= numbers_.near;
  return none ? SingleFound::State::kNone : SingleFound::State::kLeft;
}

void SingleSearch::writeMostDiverse(const Memory& memory, SingleFound& found) const {
  const Pool pool = memory.pool();
  std::vector<std::int64_t> free;
  std::vector<double> rows;
  for (std::int64_t k = 0; k < memory.count(); ++k) {
    if (pool.notes(0, k).checked() == Verdict::kFree) {
      free.push_back(k);
      rows.insert(rows.end(), pool.position(0, k), pool.position(0, k) + size_);
    }
  }
  const std::int64_t count = std::min(numbers_.budget.wanted, std::ssize(free));
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::vector<float> coordinates;
  diverseOrder({rows.data(), std::ssize(free), size_, numbers_.lower.data(), numbers_.upper.data(),
                turning_.get(), numbers_.unit.data()},
               count, kOrderWork, coordinates, order.data());
  for (std::int64_t& k : order) {
    k = free[static_cast<std::size_t>(k)];
  }
  write(memory, order, found);
}

void SingleSearch::writeNearest(const Memory& memory, const Reference& seed_state,
                                SingleFound& found) const {
  std::vector<std::int64_t> order;
  std::vector<double> distances;
  const Pool pool = memory.pool();
  for (std::int64_t k = 0; k < memory.count(); ++k) {
    distances.push_back(squaredDistance(pool.position(0, k), seed_state, size_));
    if (pool.notes(0, k).checked() == Verdict::kFree) {
      order.push_back(k);
    }
  }
  const auto count = std::min(numbers_.budget.wanted, std::ssize(order));
  std::partial_sort(order.begin(), order.begin() + count, order.end(),
                    [&](std::int64_t a, std::int64_t b) {
                      const double to_a = distances[static_cast<std::size_t>(a)];
                      const double to_b = distances[static_cast<std::size_t>(b)];
                      return to_a < to_b || (to_a == to_b && a < b);
                    });
  order.resize(static_cast<std::size_t>(count));
  write(memory, order, found);
}

void SingleSearch::write(const Memory& memory, std::span<const std::int64_t> order,
                         SingleFound& found) const {
  found.rows.reserve(order.size() * static_cast<std::size_t>(size_));
  found.notes.reserve(order.size());
  const Pool pool = memory.pool();
  for (const std::int64_t k : order) {
    const double* row = pool.position(0, k);
    found.rows.insert(found.rows.end(), row, row + size_);
    found.notes.push_back(pool.notes(0, k));
  }
}

}  // namespace generative_ik::search

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

/// What is known of the one target, or of a few, and of the solutions.
struct SingleSearch::Memory {
  Memory(const Budget& budget, std::int64_t spare, std::int64_t size, std::int64_t search_size,
         std::int64_t num_targets = 1)
      : capacity(budget.looked_for + spare),
        rows(std::make_unique_for_overwrite<double[]>(  // NOLINT(*-avoid-c-arrays): not cleared
            static_cast<std::size_t>(search_size + num_targets * (capacity + 1) * size))),
        positions(rows.get() + search_size),
        closest(positions + num_targets * capacity * size),
        notes(static_cast<std::size_t>(num_targets * capacity)),
        visits(static_cast<std::size_t>(num_targets * capacity)),
        before(static_cast<std::size_t>(num_targets * capacity)),
        num_heads(countBuckets(capacity, budget.looked_for)),
        heads(static_cast<std::size_t>(num_targets * num_heads), -1),
        num_steps(budget.steps_each * budget.looked_for),
        steps(static_cast<std::size_t>(num_targets * num_steps)),
        counts(static_cast<std::size_t>(num_targets)),
        targets(static_cast<std::size_t>(num_targets)) {}

  [[nodiscard]] std::int64_t numTargets() const { return std::ssize(targets); }
  [[nodiscard]] std::int64_t count() const { return counts.front(); }
  [[nodiscard]] const Target& target() const { return targets.front(); }
  // The first solution of a target that is free of collisions. Seeds that end in the same step may
  // have been kept after it.
  [[nodiscard]] const SolutionNotes* firstFree(std::int64_t t) const {
    const SolutionNotes* first = notes.data() + t * capacity;
    const SolutionNotes* end = first + counts[static_cast<std::size_t>(t)];
    const SolutionNotes* free = std::find_if(
        first, end, [](const SolutionNotes& one) { return one.checked() == Verdict::kFree; });
    return free == end ? nullptr : free;
  }

  std::int64_t capacity;
  std::unique_ptr<double[]> rows;  // NOLINT(*-avoid-c-arrays)
  double* positions;
  double* closest;
  std::vector<SolutionNotes> notes;
  std::vector<std::int64_t> visits;
  std::vector<std::int32_t> before;
  std::int64_t num_heads;  // of each target
  std::vector<std::int32_t> heads;
  std::int64_t num_steps;  // likewise
  std::vector<Step> steps;
  std::array<Lane, kLanes> lanes{};
  std::vector<std::int64_t> counts;
  std::vector<Target> targets;
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
  } else {
    require(ChainProblem::takes(packed_, size_), "problem: not one of so many joints");
  }
  memory_ = problemOf(nullptr).memory();
  const auto grid_ints = static_cast<std::int64_t>(numbers_.grid_ints.size());
  require(numbers_.grid_floats.size() == 1 + Grid::kJoints &&
              grid_ints == 2 * Grid::kJoints + size_ &&
              Grid::of(numbers_.grid_floats.data(), numbers_.grid_ints.data()).fits(size_),
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

SearchArrays SingleSearch::arraysOf(Memory& memory, const Box& box, const SingleTask& task) const {
  for (Target& target : memory.targets) {
    target.restarts_left = numbers_.budget.first_batch;
    target.closest_error = kInfinity;
  }
  memory.run = numbers_.budget.run(memory.numTargets());
  memory.run.endless = numbers_.endless;
  for (std::int64_t t = 0; t < memory.numTargets(); ++t) {
    std::copy_n(box.reference, size_, memory.closest + size_ * t);
  }
  SearchArrays arrays{};
  arrays.box = box;
  arrays.seeds = {nullptr, 0, 0, numbers_.endless, task.points, task.points + size_};
  arrays.pool = {Grid::of(numbers_.grid_floats.data(), numbers_.grid_ints.data()),
                 size_,
                 memory.capacity,
                 memory.num_heads,
                 memory.positions,
                 memory.notes.data(),
                 memory.visits.data(),
                 memory.counts.data(),
                 memory.heads.data(),
                 memory.before.data()};
  arrays.queue = {memory.steps.data(), memory.num_steps};
  arrays.targets = memory.targets.data();
  arrays.closest = memory.closest;
  arrays.lanes = memory.lanes.data();
  arrays.run = &memory.run;
  arrays.check = task.check;
  arrays.push = task.push;
  return arrays;
}

// Searches with seeds that follow those before, until these are used up.
RunStatus SingleSearch::searchWith(std::span<const double> seeds, Memory& memory,
                                   SearchArrays& arrays, const SingleTask& task) const {
  memory.targets.front().needs_seeds = memory.run.begun = false;
  memory.run.next_target = 0;
  memory.run.seeds_before = memory.target().restarts;
  arrays.seeds.given = seeds.data();
  arrays.seeds.count = std::ssize(seeds) / size_;
  arrays.seeds.before = memory.run.seeds_before;
  const std::int64_t count = memory.numTargets();
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
  Memory memory(budget, budget.spare, size_, memory_);
  const std::vector<double> about = around ? boxAbout(task) : std::vector<double>();
  const Box box = Box::of(around ? about.data() : numbers_.box.data(), size_);
  SearchArrays arrays = arraysOf(memory, box, task);
  std::span<const double> seeds;
  if (task.seeds && !around) {
    seeds = task.seeds(0, budget.first_batch);
  }
  RunStatus status = searchWith(seeds, memory, arrays, task);
  while (status == RunStatus::kOutOfSeeds && task.seeds) {
    const Target& target = memory.target();
    seeds =
        task.seeds(target.restarts, nextBatch(target.restarts_ended, target.restarts_converged));
    if (seeds.empty()) {
      break;
    }
    status = searchWith(seeds, memory, arrays, task);
  }
  SingleFound found{
      SingleFound::State::kLeft, {}, {}, workOf(&memory.target(), &memory.counts.front(), 1)};
  found.state = writeTo(found, memory, task);
  return found;
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
  const Budget& budget = numbers_.budget;
  Memory memory(budget, check ? budget.spare : 0, size_, memory_, count);
  SingleTask own = task;
  own.target += piece.first * kOfPose * std::max<std::int64_t>(numGoals(), 1);
  own.limit.checkpoint = piece.checkpoint;
  own.check = &check;
  own.push = &push;
  SearchArrays arrays = arraysOf(memory, Box::of(numbers_.box.data(), size_), own);
  memory.run.most_colliding = memory.capacity - 1;
  searchWith({}, memory, arrays, own);
  for (std::int64_t t = 0; t < count; ++t) {
    const SolutionNotes* free = memory.firstFree(t);
    const Target& target = memory.targets[static_cast<std::size_t>(t)];
    OneFound& one = found.ones[piece.first + t];
    one = {stateOf(memory, t), kNone, kNone, target.restarts + target.null_space_seeds};
    const double* row = memory.closest + t * size_;
    if (free != nullptr) {
      one = {SingleFound::State::kSolved, free->distance, free->angle, one.seeds};
      row = memory.positions + (free - memory.notes.data()) * size_;
    }
    std::copy_n(row, size_, found.rows + (piece.first + t) * size_);
  }
  return workOf(memory.targets.data(), memory.counts.data(), count);
}

SingleFound::State SingleSearch::writeTo(SingleFound& found, const Memory& memory,
                                         const SingleTask& task) const {
  const Budget& budget = numbers_.budget;
  const bool any = budget.wanted == 1 && !budget.around();
  if (memory.target().free > 0 && (any || memory.target().closed)) {
    if (any) {
      const SolutionNotes* free = memory.firstFree(0);
      const double* row = memory.positions + (free - memory.notes.data()) * size_;
      found.notes = {*free};
      found.rows.assign(row, row + size_);
    } else if (budget.around()) {
      writeNearest(memory, {task.seed_state, task.weights}, found);
    } else {
      writeMostDiverse(memory, found);
    }
    return SingleFound::State::kSolved;
  }
  found.rows.assign(memory.closest, memory.closest + size_);
  return stateOf(memory, 0);
}

SingleFound::State SingleSearch::stateOf(const Memory& memory, std::int64_t t) const {
  const auto i = static_cast<std::size_t>(t);
  const Target& target = memory.targets[i];
  const bool none =
      target.closed && memory.counts[i] == 0 && target.closest_error >= numbers_.near;
  return none ? SingleFound::State::kNone : SingleFound::State::kLeft;
}

void SingleSearch::writeMostDiverse(const Memory& memory, SingleFound& found) const {
  const std::int64_t count = std::min(numbers_.budget.wanted, memory.count());
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::vector<float> coordinates;
  diverseOrder({memory.positions, memory.count(), size_, numbers_.lower.data(),
                numbers_.upper.data(), turning_.get(), numbers_.unit.data()},
               count, kOrderWork, coordinates, order.data());
  write(memory, order, found);
}

void SingleSearch::writeNearest(const Memory& memory, const Reference& seed_state,
                                SingleFound& found) const {
  std::vector<std::int64_t> order;
  std::vector<double> distances;
  for (std::int64_t k = 0; k < memory.count(); ++k) {
    distances.push_back(squaredDistance(memory.positions + k * size_, seed_state, size_));
    if (memory.notes[static_cast<std::size_t>(k)].checked() == Verdict::kFree) {
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
  for (const std::int64_t k : order) {
    const double* row = memory.positions + k * size_;
    found.rows.insert(found.rows.end(), row, row + size_);
    found.notes.push_back(memory.notes[static_cast<std::size_t>(k)]);
  }
}

}  // namespace generative_ik::search

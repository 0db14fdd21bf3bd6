// The search: arrays of a call, as the core takes them.
#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "answer_calls.hpp"
#include "arrays.hpp"
#include "collision.hpp"
#include "gil.hpp"
#include "interrupts.hpp"
#include "module.hpp"
#include "pool.hpp"
#include "problem.hpp"
#include "records.hpp"
#include "search/chain_problem.hpp"
#include "search/chain_search.hpp"
#include "search/consistency.hpp"
#include "search/goal_search.hpp"
#include "search/pieces.hpp"
#include "search/single_search.hpp"
#include "search/work.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;
using search::SearchArrays;
using search::SingleSearch;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
// Targets that are searched together at most.
constexpr std::int64_t kMostTargets = std::int64_t{1} << 40;

/// The arrays of a call, without what only one search needs: lanes, and memory.
struct CallArguments {
  const py::array& problem_floats;
  const py::array& problem_ints;
  const py::array& box;
  const py::array& recurrence;
  const py::array& poses;
  PoolArguments pool;
  py::array& targets;
  py::array& queue;
  py::array& closest;
  const py::array& given;
  py::array& run;
};

/// A call's arrays, checked.
struct Call {
  Packed packed;
  Wanted wanted;
  SearchArrays arrays;
  search::ArraySizes sizes;

  search::RunStatus search(double* memory, const SearchArrays& of_run,
                           const search::StepLimit& limit) const {
    return wanted.goals ? search::searchGoals(wanted.numbers, wanted.poses, memory, of_run, limit)
                        : search::searchChain(packed, wanted.poses, memory, of_run, limit);
  }
};

Call callOf(const CallArguments& from) {
  const search::Box box = boxOf(from.box, kAny);
  const auto size = static_cast<py::ssize_t>(box.size);
  const Packed packed = packedOf(from.problem_floats, from.problem_ints);
  Call call = {packed, wantedOf(packed, from.poses, size), {}, {}};
  SearchArrays& arrays = call.arrays;
  arrays.box = box;
  arrays.pool = poolOf(from.pool, size);
  const py::ssize_t count = from.pool.positions.shape(0);
  arrays.targets = writableRecords<search::Target>(from.targets, "targets", count);
  auto* steps = writable<std::int32_t>(from.queue, "queue", Shape<3>{count, kAny, 2});
  static_assert(sizeof(search::Step) == 2 * sizeof(std::int32_t));
  // NOLINTNEXTLINE(*-reinterpret-cast): two numbers
  arrays.queue = {reinterpret_cast<search::Step*>(steps), from.queue.shape(1)};
  arrays.closest = writable<double>(from.closest, "closest", Shape<2>{count, size});
  arrays.run = writableRecords<search::Run>(from.run, "run", 1);
  const auto* points = readable<double>(from.recurrence, "recurrence", Shape<2>{2, size});
  const auto* seeds = readable<double>(from.given, "given", Shape<3>{kAny, kAny, size});
  const bool any = from.given.size() > 0;
  arrays.seeds = {seeds,
                  any ? from.given.shape(1) : 0,
                  arrays.run->seeds_before,
                  arrays.run->endless,
                  points,
                  points + size};
  call.sizes = {count, call.wanted.count, any ? from.given.shape(0) : 0};
  return call;
}

/// Steps out of collisions in a world; none without one.
search::PushOut pushOutOf(const CollisionWorld* world) {
  return world == nullptr ? search::PushOut() : search::pushOutIn(*world);
}

void requireConsistent(const Call& call) {
  if (const char* fault = search::faultOf(call.arrays, call.sizes)) {
    refuse(fault);
  }
}

// NOLINTNEXTLINE(readability-function-size): arrays are passed one by one, which takes least time
std::int64_t run(const py::array& problem_floats, const py::array& problem_ints,
                 const py::array& box, const py::array& recurrence, const py::array& poses,
                 const py::array& grid_floats, const py::array& grid_ints, py::array positions,
                 py::array errors, py::array visits, py::array counts, py::array heads,
                 py::array before, py::array targets, py::array queue, py::array closest,
                 const py::array& given, py::array lanes, py::array memory, py::array run,
                 std::int64_t max_steps, const CollisionWorld* world) {
  Call call = callOf({problem_floats,
                      problem_ints,
                      box,
                      recurrence,
                      poses,
                      {grid_floats, grid_ints, positions, errors, visits, counts, heads, before},
                      targets,
                      queue,
                      closest,
                      given,
                      run});
  call.arrays.lanes = writableRecords<search::Lane>(lanes, "lanes", kLanes);
  auto* numbers = writable<double>(memory, "memory", Shape<1>{kAny});
  require(memory.size() >= call.wanted.memory, "memory: shorter than search_memory says");
  requireConsistent(call);
  const CollisionCheck check = checkOf(world, call.arrays.box.size);
  call.arrays.check = &check;
  const search::PushOut push = pushOutOf(world);
  call.arrays.push = &push;
  search::RunStatus status{};
  interruptible(kForever, [&](const parallel::StopWhen& stop) {
    std::atomic<bool> ended{false};
    parallel::Checkpoint checkpoint(stop, ended, true);
    status = call.search(numbers, call.arrays, {max_steps, &checkpoint});
  });
  return static_cast<std::int64_t>(status);
}

/// Has Python decide, on any thread: the one that has called the core waits without the GIL.
search::Settle settleOf(const py::object& settle) {
  if (settle.is_none()) {
    return {};
  }
  return [&settle](std::int64_t first, std::int64_t last) {
    // The thread that has called may be the one that ends it.
    if (!mayHandleSignals() && isFinalizing()) {
      throw std::runtime_error("the interpreter ends: no solution can be checked for collisions");
    }
    return withGil([&] {
      throwInterrupt();
      return settle(first, last).cast<bool>();
    });
  };
}

// NOLINTNEXTLINE(readability-function-size): arrays are passed one by one
bool runPieces(const py::array& problem_floats, const py::array& problem_ints,
               const py::array& box, const py::array& recurrence, const py::array& poses,
               const py::array& grid_floats, const py::array& grid_ints, py::array positions,
               py::array errors, py::array visits, py::array counts, py::array heads,
               py::array before, py::array targets, py::array queue, py::array closest,
               const py::array& given, py::array run, std::int64_t size, double seconds,
               const CollisionWorld* world, const py::object& settle) {
  Call call = callOf({problem_floats,
                      problem_ints,
                      box,
                      recurrence,
                      poses,
                      {grid_floats, grid_ints, positions, errors, visits, counts, heads, before},
                      targets,
                      queue,
                      closest,
                      given,
                      run});
  require(size > 0 && size <= kMostTargets, "size: expected 1 to 2^40 targets");
  require(!call.arrays.run->begun, "run: expected one that has not begun");
  requireConsistent(call);
  const CollisionCheck check = checkOf(world, call.arrays.box.size);
  call.arrays.check = &check;
  const search::PushOut push = pushOutOf(world);
  call.arrays.push = &push;
  const search::PieceSearch search = {
      [&call](double* numbers, const SearchArrays& arrays, const search::StepLimit& limit) {
        return call.search(numbers, arrays, limit);
      },
      call.wanted.memory, settleOf(settle)};
  bool lacking = false;
  interruptible(seconds, [&](const parallel::StopWhen& stop) {
    lacking = search::searchPieces(search, call.arrays, size, stop);
  });
  return lacking;
}

void beginTargets(py::array targets, py::array closest, std::int64_t restarts,
                  const py::array& reference) {
  auto* records = writableRecords<search::Target>(targets, "targets", kAny);
  const auto* row = readable<double>(reference, "reference", Shape<1>{kAny});
  const py::ssize_t count = targets.shape(0);
  auto* rows = writable<double>(closest, "closest", Shape<2>{count, reference.size()});
  const GilReleased released;
  search::beginTargets(records, rows, count, restarts, row, reference.size());
}

std::int64_t memoryOf(std::int64_t num_joints, std::int64_t num_variables) {
  constexpr std::int64_t kMost = 1 << 16;  // more are no robot's
  require(num_joints >= 0 && num_joints <= kMost && num_variables >= 0 && num_variables <= kMost,
          "search_memory: expected 0 to 65536 joints and variables");
  return search::searchMemory(num_joints, num_variables);
}

std::int64_t goalMemory(const py::array& problem_floats, const py::array& problem_ints) {
  return search::goalSearchMemory(goalsOf(packedOf(problem_floats, problem_ints)));
}

/// Restarts, null-space steps, and how many of each converged; iterations of all.
py::tuple workOf(py::array targets) {
  const auto* records = writableRecords<search::Target>(targets, "targets", kAny);
  const search::Work work = search::workOf(records, targets.shape(0));
  return py::make_tuple(work.restarts, work.null_space_seeds, work.restarts_converged,
                        work.null_space_converged, work.iterations);
}

// NOLINTNEXTLINE(readability-function-size): numbers are passed one by one
std::unique_ptr<SingleSearch> makeSingle(
    const py::array& problem_floats, const py::array& problem_ints, bool goals,
    const py::array& box, const py::array& grid_floats, const py::array& grid_ints,
    const py::array& lower, const py::array& upper, const py::array& turning,
    const py::array& unit, std::int64_t first_batch, double step, double persistence,
    std::int64_t most_restarts, double near, std::int64_t wanted, std::int64_t looked_for,
    std::int64_t enough, std::int64_t colliding, std::int64_t steps, std::int64_t buckets,
    bool traced, bool endless, bool around) {
  const auto* turns = readable<bool>(turning, "turning", Shape<1>{kAny});
  const auto* rows = readable<double>(box, "box", Shape<2>{search::Box::kRows, kAny});
  return std::make_unique<SingleSearch>(
      search::SingleSearchNumbers{numbersOf<double>(problem_floats, "problem_floats"),
                                  numbersOf<std::int64_t>(problem_ints, "problem_ints"),
                                  goals,
                                  {rows, rows + box.size()},
                                  numbersOf<double>(grid_floats, "grid_floats"),
                                  numbersOf<std::int64_t>(grid_ints, "grid_ints"),
                                  first_batch,
                                  step,
                                  persistence,
                                  most_restarts,
                                  near,
                                  wanted,
                                  looked_for,
                                  enough,
                                  colliding,
                                  steps,
                                  buckets,
                                  traced,
                                  endless,
                                  around,
                                  numbersOf<double>(lower, "lower"),
                                  numbersOf<double>(upper, "upper"),
                                  {turns, turns + turning.size()},
                                  numbersOf<double>(unit, "unit")});
}

/// The poses of one target: (1, G, 4, 4) of goals; of one (4, 4) and (1, 4, 4), too.
const double* targetOf(const SingleSearch& search, const py::array& target) {
  const py::ssize_t goals = search.numGoals();
  if (target.ndim() == 2 && goals <= 1) {
    return readable<double>(target, "target", Shape<2>{4, 4});
  }
  if (target.ndim() == 3 && goals <= 1) {
    return readable<double>(target, "target", Shape<3>{1, 4, 4});
  }
  return readable<double>(target, "target", Shape<4>{1, goals, 4, 4});
}

/// Has Python propose seeds.
search::SeedSource seedsOf(const py::object& propose, py::ssize_t size,
                           std::vector<double>& rows) {
  if (propose.is_none()) {
    return {};
  }
  return [&propose, size, &rows](std::int64_t before, std::int64_t count) {
    withGil([&] {
      throwInterrupt();
      const auto seeds = propose(before, count).cast<py::array>();
      const auto* first = readable<double>(seeds, "seeds", Shape<2>{kAny, size});
      rows.assign(first, first + seeds.size());
    });
    return std::span<const double>(rows);
  };
}

// NOLINTNEXTLINE(readability-function-size): arrays are passed one by one
py::object findSingle(const SingleSearch& search, const py::array& target,
                      const py::array& recurrence, std::int64_t max_steps,
                      const CollisionWorld* world, const py::object& propose,
                      const std::optional<py::array>& seed_state,
                      const std::optional<py::array>& weights) {
  const py::ssize_t size = search.numVariables();
  const auto* poses = targetOf(search, target);
  const auto* points = readable<double>(recurrence, "recurrence", Shape<2>{2, size});
  require(max_steps >= 0, "max_steps: expected 0 or more");
  if (!verify::arePoses(poses, std::max<std::int64_t>(search.numGoals(), 1))) {
    return py::none();
  }
  const CollisionCheck check = checkOf(world, size);
  const search::PushOut push = pushOutOf(world);
  std::vector<double> seeds;
  search::SingleTask task{poses, points, max_steps, &check, &push, seedsOf(propose, size, seeds)};
  const auto optional = [size](const std::optional<py::array>& row, const char* name) {
    return row ? readable<double>(*row, name, Shape<1>{size}) : nullptr;
  };
  task.seed_state = optional(seed_state, "seed_state");
  task.weights = optional(weights, "weights");
  search::SingleFound found{};
  interruptible(kForever, [&](const parallel::StopWhen& stop) {
    std::atomic<bool> ended{false};
    parallel::Checkpoint checkpoint(stop, ended, true);
    task.limit.checkpoint = &checkpoint;
    found = search.find(task);
  });
  const std::int64_t wanted = search.wanted();
  py::array positions = newArray<double>(Shape<3>{1, wanted, size});
  py::array errors = newArray<double>(Shape<3>{1, wanted, 2});
  auto* rows = static_cast<double*>(positions.mutable_data());
  auto* gaps = static_cast<double*>(errors.mutable_data());
  std::fill(std::copy(found.rows.begin(), found.rows.end(), rows), rows + wanted * size, kNone);
  std::fill_n(gaps, 2 * wanted, kNone);
  for (const search::SolutionNotes& notes : found.notes) {
    *gaps++ = notes.distance;
    *gaps++ = notes.angle;
  }
  const search::Work& work = found.work;
  return py::make_tuple(
      static_cast<std::int64_t>(found.state), found.notes.size(), std::move(positions),
      std::move(errors), work.restarts + work.null_space_seeds, work.null_space_seeds,
      work.restarts_converged + work.null_space_converged, found.distinct, work.iterations);
}

using Fields = std::vector<std::tuple<std::string, std::size_t>>;

/// Names and offsets of the fields of some records.
Fields fieldsOf(const std::string& record) {
  using search::Lane;
  using search::Run;
  using search::Target;
  if (record == "TARGET") {
    return {{"restarts", offsetof(Target, restarts)},
            {"restarts_left", offsetof(Target, restarts_left)},
            {"restarts_ended", offsetof(Target, restarts_ended)},
            {"restarts_converged", offsetof(Target, restarts_converged)},
            {"sample", offsetof(Target, sample)},
            {"sample_new", offsetof(Target, sample_new)},
            {"saturated", offsetof(Target, saturated)},
            {"window", offsetof(Target, window)},
            {"window_away", offsetof(Target, window_away)},
            {"traced_all", offsetof(Target, traced_all)},
            {"null_space_pays", offsetof(Target, null_space_pays)},
            {"null_space_seeds", offsetof(Target, null_space_seeds)},
            {"null_space_converged", offsetof(Target, null_space_converged)},
            {"round_size", offsetof(Target, round_size)},
            {"round_left", offsetof(Target, round_left)},
            {"round_ended", offsetof(Target, round_ended)},
            {"round_new", offsetof(Target, round_new)},
            {"queue_end", offsetof(Target, queue_end)},
            {"queue_begin", offsetof(Target, queue_begin)},
            {"near", offsetof(Target, near)},
            {"towards_seed", offsetof(Target, towards_seed)},
            {"towards_seed_begun", offsetof(Target, towards_seed_begun)},
            {"towards_seed_ended", offsetof(Target, towards_seed_ended)},
            {"nearest", offsetof(Target, nearest)},
            {"moved", offsetof(Target, moved)},
            {"usable", offsetof(Target, usable)},
            {"free", offsetof(Target, free)},
            {"doubled", offsetof(Target, doubled)},
            {"iterations", offsetof(Target, iterations)},
            {"seed_row", offsetof(Target, seed_row)},
            {"needs_seeds", offsetof(Target, needs_seeds)},
            {"closed", offsetof(Target, closed)},
            {"complete", offsetof(Target, complete)},
            {"closest_error", offsetof(Target, closest_error)}};
  }
  if (record == "LANE") {
    return {{"target", offsetof(Lane, target)},
            {"pose", offsetof(Lane, pose)},
            {"kind", offsetof(Lane, kind)},
            {"base", offsetof(Lane, base)},
            {"iterations", offsetof(Lane, iterations)},
            {"past_error", offsetof(Lane, past_error)},
            {"loaded", offsetof(Lane, loaded)},
            {"bound", offsetof(Lane, bound)}};
  }
  if (record == "RUN") {
    return {{"begun", offsetof(Run, begun)},
            {"first", offsetof(Run, first)},
            {"last", offsetof(Run, last)},
            {"next_target", offsetof(Run, next_target)},
            {"num_solutions", offsetof(Run, num_solutions)},
            {"wanted", offsetof(Run, wanted)},
            {"min_restarts", offsetof(Run, min_restarts)},
            {"seeds_before", offsetof(Run, seeds_before)},
            {"endless", offsetof(Run, endless)},
            {"alternatives", offsetof(Run, alternatives)},
            {"step", offsetof(Run, step)},
            {"most_colliding", offsetof(Run, most_colliding)},
            {"persistence", offsetof(Run, persistence)},
            {"most_restarts", offsetof(Run, most_restarts)},
            {"traced", offsetof(Run, traced)}};
  }
  refuse("record: expected TARGET, LANE or RUN, got " + record);
}

}  // namespace

void bindSearch(py::module_& module) {
  py::class_<SingleSearch>(module, "SingleSearch", "The search for solutions of one target.")
      .def(py::init(&makeSingle), py::arg("problem_floats"), py::arg("problem_ints"),
           py::arg("goals"), py::arg("box"), py::arg("grid_floats"), py::arg("grid_ints"),
           py::arg("lower"), py::arg("upper"), py::arg("turning"), py::arg("unit"),
           py::arg("first_batch"), py::arg("step"), py::arg("persistence"),
           py::arg("most_restarts"), py::arg("near"), py::arg("wanted"), py::arg("looked_for"),
           py::arg("enough"), py::arg("colliding"), py::arg("steps"), py::arg("buckets"),
           py::arg("traced"), py::arg("endless"), py::arg("around"))
      .def("find", &findSingle, py::arg("target"), py::arg("recurrence"), py::arg("max_steps"),
           py::arg("world").none(true) = py::none(), py::arg("propose") = py::none(),
           py::arg("seed_state").none(true) = py::none(),
           py::arg("weights").none(true) = py::none());
  module.def("search", &run, py::arg("problem_floats"), py::arg("problem_ints"), py::arg("box"),
             py::arg("recurrence"), py::arg("poses"), py::arg("grid_floats"), py::arg("grid_ints"),
             py::arg("positions"), py::arg("errors"), py::arg("visits"), py::arg("counts"),
             py::arg("heads"), py::arg("before"), py::arg("targets"), py::arg("queue"),
             py::arg("closest"), py::arg("given"), py::arg("lanes"), py::arg("memory"),
             py::arg("run"), py::arg("max_steps"), py::arg("world").none(true) = py::none(),
             "Search for solutions of some targets until all are closed or something is lacking.");
  module.def("search_pieces", &runPieces, py::arg("problem_floats"), py::arg("problem_ints"),
             py::arg("box"), py::arg("recurrence"), py::arg("poses"), py::arg("grid_floats"),
             py::arg("grid_ints"), py::arg("positions"), py::arg("errors"), py::arg("visits"),
             py::arg("counts"), py::arg("heads"), py::arg("before"), py::arg("targets"),
             py::arg("queue"), py::arg("closest"), py::arg("given"), py::arg("run"),
             py::arg("size"), py::arg("seconds"), py::arg("world").none(true) = py::none(),
             py::arg("settle") = py::none(),
             "Search for solutions of some targets at a time, by all threads.");
  module.def("begin_targets", &beginTargets, py::arg("targets"), py::arg("closest"),
             py::arg("restarts"), py::arg("reference"),
             "Write what a search begins with: its TARGET records and closest configurations.");
  module.def("search_memory", &memoryOf, py::arg("num_joints"), py::arg("num_variables"),
             "Return how many numbers `search` takes as `memory`.");
  module.def("goal_search_memory", &goalMemory, py::arg("problem_floats"), py::arg("problem_ints"),
             "Return how many numbers `search` takes as `memory` for several goals.");
  module.def("work_of", &workOf, py::arg("targets"),
             "Return sums over TARGET records: how much work a search was.");
  module.def("record_fields", &fieldsOf, py::arg("record"),
             "Return names and offsets of the fields of TARGET, LANE or RUN.");
}

}  // namespace generative_ik::bindings

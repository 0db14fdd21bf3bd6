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
#include <string>
#include <utility>
#include <vector>

#include "answer_calls.hpp"
#include "arrays.hpp"
#include "collision.hpp"
#include "decisions.hpp"
#include "gil.hpp"
#include "interrupts.hpp"
#include "limbs/answer_limbs.hpp"
#include "module.hpp"
#include "one_pose.hpp"
#include "pool.hpp"
#include "problem.hpp"
#include "refine.hpp"
#include "search/chain_problem.hpp"
#include "search/consistency.hpp"
#include "search/pieces.hpp"
#include "search/run_search.hpp"
#include "search/single_search.hpp"
#include "search/unsolved.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;
using search::SearchArrays;
using search::SingleSearch;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
// Targets that are searched together at most.
constexpr std::int64_t kMostTargets = std::int64_t{1} << 40;

/// A call's arrays, checked.
struct Call {
  Wanted wanted;
  SearchArrays arrays;
  search::ArraySizes sizes;
};

/// A problem, its box, recurrence and poses.
using TaskArrays = std::tuple<py::tuple, py::array, py::array, py::array>;

Call callOf(const TaskArrays& task, const Memory& memory, const py::array& given,
            search::Run& run) {
  const auto& [problem, rows, recurrence, poses] = task;
  const auto& [targets, size, capacity, looked_for, steps] = memory.found.room();
  Call call = {
      wantedOf(packedOf(problem), poses, size), memory.arrays(boxOf(rows, size), run), {}};
  SearchArrays& arrays = call.arrays;
  const auto* points = readable<double>(recurrence, "recurrence", Shape<2>{2, size});
  const auto* seeds = readable<double>(given, "given", Shape<3>{kAny, kAny, size});
  const bool any = given.size() > 0;
  arrays.seeds = {seeds,
                  any ? given.shape(1) : 0,
                  arrays.run->seeds_before,
                  arrays.run->endless,
                  points,
                  points + size};
  call.sizes = {targets, call.wanted.count, any ? given.shape(0) : 0};
  return call;
}

/// Steps out of collisions in a world; none without one.
search::PushOut pushOutOf(const CollisionWorld* world) {
  return world == nullptr ? search::PushOut() : search::pushOutIn(*world);
}

bool run(const TaskArrays& task, const Memory& memory, const py::array& given, search::Run run,
         std::int64_t size, double seconds, const CollisionWorld* world,
         const search::Decisions* decisions) {
  Call call = callOf(task, memory, given, run);
  require(size > 0 && size <= kMostTargets, "size: expected 1 to 2^40 targets");
  if (const char* fault = search::faultOf(call.arrays, call.sizes)) {
    refuse(fault);
  }
  const CollisionCheck check = checkOf(world, call.arrays.box.size);
  call.arrays.check = &check;
  const search::PushOut push = pushOutOf(world);
  call.arrays.push = &push;
  bool lacking = false;
  interruptible(seconds, [&](const parallel::StopWhen& stop) {
    const search::PieceSearch search = {call.wanted.problem(),
                                        settleOf(decisions, call.arrays, stop)};
    lacking = search::searchPieces(search, call.arrays, size, stop);
  });
  return lacking;
}

/// Throws ValueError unless the records and pools of targets without a solution can be begun anew.
void checkUnsolved(const SearchArrays& arrays) {
  constexpr std::int64_t kMostRestarts = std::int64_t{1} << 53;
  for (std::int64_t t = arrays.run->first; t < arrays.run->last; ++t) {
    const std::int64_t restarts = arrays.targets[t].restarts;
    const std::int64_t count = arrays.pool.counts[t];
    require(count > 0 || (count == 0 && restarts >= 0 && restarts <= kMostRestarts &&
                          search::isInBuckets(arrays.pool, t)),
            "targets: records that do not fit to each other, or not to the solutions");
  }
}

py::array approachUnsolved(const TaskArrays& task, const Memory& memory, search::Run run,
                           const py::array& periodic, bool deficient, double near, double seconds,
                           const CollisionWorld* world, const search::Decisions* decisions) {
  const auto none = newArray<double>(Shape<3>{0, 0, periodic.size()});
  Call call = callOf(task, memory, none, run);
  if (const char* fault = search::faultOf(call.arrays, call.sizes)) {
    refuse(fault);
  }
  checkUnsolved(call.arrays);
  const CollisionCheck check = checkOf(world, call.arrays.box.size);
  call.arrays.check = &check;
  const bool* turning = readable<bool>(periodic, "periodic", Shape<1>{call.arrays.box.size});
  const search::Seeds& seeds = call.arrays.seeds;
  const search::MoreSeeds more = {call.wanted.problem(),
                                  call.arrays.box,
                                  seeds.shift,
                                  seeds.ratios,
                                  call.arrays.run->alternatives,
                                  false};
  std::vector<std::int64_t> left;
  interruptible(seconds, [&](const parallel::StopWhen& stop) {
    const search::UnsolvedSearch search = {settleOf(decisions, call.arrays, stop), turning,
                                           deficient, near};
    left = search::approachUnsolved(more, search, call.arrays, stop);
  });
  return py::array_t<std::int64_t>(static_cast<py::ssize_t>(left.size()), left.data());
}

/// Moves configurations closer to targets.
void findClosest(const TaskArrays& task, const py::array& options, std::int64_t alternatives,
                 const py::array& targets, py::array positions, py::array errors, double seconds) {
  const auto& [problem, rows, recurrence, poses] = task;
  const search::Box box = boxOf(rows, kAny);
  const auto size = static_cast<py::ssize_t>(box.size);
  const Wanted wanted = wantedOf(packedOf(problem), poses, size);
  const auto* points = readable<double>(recurrence, "recurrence", Shape<2>{2, size});
  const auto* which = readable<std::int64_t>(targets, "targets", Shape<1>{kAny});
  const py::ssize_t count = targets.size();
  checkIndices(which, count, wanted.count, "targets");
  require(alternatives >= 0 && alternatives <= wanted.count, "alternatives: more than poses");
  auto* q = writable<double>(positions, "positions", Shape<2>{count, size});
  // NOLINTNEXTLINE(*-reinterpret-cast): two numbers each
  auto* gaps =
      reinterpret_cast<verify::PoseGap*>(writable<double>(errors, "errors", Shape<2>{count, 2}));
  const LaneOptions weighted = optionsOf(options);
  const search::MoreSeeds seeds = {wanted.problem(), box,          points,
                                   points + size,    alternatives, false};
  interruptible(seconds, [&](const parallel::StopWhen& stop) {
    const auto find = [&](std::int64_t k) {
      search::findClosest(seeds, weighted, which[k], q + size * k, gaps[k], stop);
    };
    parallel::forEach(count, find, stop);
  });
}

// NOLINTNEXTLINE(readability-function-size): numbers are passed one by one
std::unique_ptr<SingleSearch> makeSingle(const py::tuple& problem, bool goals,
                                         const py::array& box, const py::tuple& grid,
                                         const py::tuple& joints, const search::Budget& budget,
                                         double near, bool endless) {
  const Packed packed = packedOf(problem);
  const Arrays of_grid(grid, "grid", 2);
  const Arrays of_joints(joints, "joints", 4);
  const py::array turning = of_joints.at(2);
  const auto* turns = readable<bool>(turning, "joints.periodic", Shape<1>{kAny});
  const auto* rows = readable<double>(box, "box", Shape<2>{search::Box::kRows, kAny});
  return std::make_unique<SingleSearch>(
      search::SingleSearchNumbers{floatsOf(packed),
                                  intsOf(packed),
                                  goals,
                                  {rows, rows + box.size()},
                                  numbersOf<double>(of_grid.at(0), "grid"),
                                  numbersOf<std::int64_t>(of_grid.at(1), "grid"),
                                  budget,
                                  near,
                                  endless,
                                  numbersOf<double>(of_joints.at(0), "joints.lower"),
                                  numbersOf<double>(of_joints.at(1), "joints.upper"),
                                  {turns, turns + turning.size()},
                                  numbersOf<double>(of_joints.at(3), "joints.unit")});
}

/// The poses of some targets: (T, G, 4, 4) of goals; (T, 4, 4) of one, and (4, 4) of one target.
struct TargetPoses {
  const double* numbers;
  std::int64_t count;

  static TargetPoses of(const SingleSearch& search, const py::array& targets) {
    const py::ssize_t goals = search.numGoals();
    if (targets.ndim() == 2 && goals <= 1) {
      return {readable<double>(targets, "targets", Shape<2>{4, 4}), 1};
    }
    const double* numbers =
        targets.ndim() == 3 && goals <= 1
            ? readable<double>(targets, "targets", Shape<3>{kAny, 4, 4})
            : readable<double>(targets, "targets", Shape<4>{kAny, goals, 4, 4});
    return {numbers, targets.shape(0)};
  }

  [[nodiscard]] bool arePoses(const SingleSearch& search) const {
    return verify::arePoses(numbers, count * std::max<std::int64_t>(search.numGoals(), 1));
  }
};

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

/// The solution of limbs that is nearest to a task's seed state (n); empty if none is known.
std::vector<double> nearestOf(const limbs::LimbsProblem* limbs, const search::SingleTask& task) {
  if (limbs == nullptr || task.seed_state == nullptr || task.weights == nullptr) {
    return {};
  }
  std::vector<double> q(static_cast<std::size_t>(limbs->size));
  answers::Note note{};
  answers::PoseGap gap{};
  limbs::answerSome({*limbs, task.weights, true, 1}, task.seed_state,
                    {task.target, &note, q.data(), &gap, 1, limbs->size, std::ssize(limbs->limbs)},
                    0, 1);
  return note.count > 0 ? q : std::vector<double>();
}

/// The limbs of a search's tree, or null.
const limbs::LimbsProblem* limbsFrom(py::handle given, const SingleSearch& search) {
  const auto* limbs = given.cast<const limbs::LimbsProblem*>();
  require(limbs == nullptr || (limbs->size == search.numVariables() &&
                               std::ssize(limbs->limbs) == search.numGoals()),
          "limbs: not those of the search's tree");
  return limbs;
}

/// What a search comes to that collides with nothing in a world, if there is one, in this thread.
search::SingleFound foundBy(const SingleSearch& search, search::SingleTask& task,
                            const CollisionWorld* world) {
  const CollisionCheck check = checkOf(world, search.numVariables());
  const search::PushOut push = pushOutOf(world);
  task.check = &check;
  task.push = &push;
  search::SingleFound found{};
  interruptible(kForever, [&](const parallel::StopWhen& stop) {
    std::atomic<bool> ended{false};
    parallel::Checkpoint checkpoint(stop, ended, true);
    task.limit.checkpoint = &checkpoint;
    found = search.find(task);
  });
  return found;
}

/// Positions (1, N, n), NaN behind the last.
py::array positionsOf(const SingleSearch& search, const search::SingleFound& found) {
  py::array positions = newArray<double>(Shape<3>{1, search.wanted(), search.numVariables()});
  auto* rows = static_cast<double*>(positions.mutable_data());
  std::fill(std::copy(found.rows.begin(), found.rows.end(), rows), rows + positions.size(), kNone);
  return positions;
}

/// Writes the errors of N solutions, NaN behind the last.
void writeErrors(const search::SingleFound& found, std::int64_t wanted, verify::PoseGap* errors) {
  std::fill_n(errors, wanted, verify::PoseGap{kNone, kNone});
  for (const search::SolutionNotes& notes : found.notes) {
    *errors++ = {notes.distance, notes.angle};
  }
}

py::object tupleOf(const SingleSearch& search, const search::SingleFound& found) {
  py::array errors = newArray<double>(Shape<3>{1, search.wanted(), 2});
  std::vector<verify::PoseGap> gaps(static_cast<std::size_t>(search.wanted()));
  writeErrors(found, search.wanted(), gaps.data());
  auto* numbers = static_cast<double*>(errors.mutable_data());
  for (const auto& [distance, angle] : gaps) {
    *numbers++ = distance;
    *numbers++ = angle;
  }
  const search::Work& work = found.work;
  return py::make_tuple(
      static_cast<std::int64_t>(found.state), found.notes.size(), positionsOf(search, found),
      std::move(errors), work.restarts + work.null_space_seeds, work.null_space_seeds,
      work.restarts_converged + work.null_space_converged, work.distinct, work.iterations);
}

// NOLINTNEXTLINE(readability-function-size): arrays are passed one by one
py::object findSingle(const SingleSearch& search, const py::array& target,
                      const py::array& recurrence, std::int64_t max_steps,
                      const CollisionWorld* world, const py::object& propose,
                      const std::optional<py::array>& seed_state,
                      const std::optional<py::array>& weights, const py::object& collides,
                      const py::object& limbs) {
  const py::ssize_t size = search.numVariables();
  const TargetPoses poses = TargetPoses::of(search, target);
  require(poses.count == 1, "target: expected one");
  const auto* points = readable<double>(recurrence, "recurrence", Shape<2>{2, size});
  require(max_steps >= 0, "max_steps: expected 0 or more");
  if (!poses.arePoses(search)) {
    return py::none();
  }
  std::vector<double> seeds;
  search::SingleTask task{poses.numbers, points, max_steps};
  task.seeds = seedsOf(propose, size, seeds);
  const auto optional = [size](const std::optional<py::array>& row, const char* name) {
    return row ? readable<double>(*row, name, Shape<1>{size}) : nullptr;
  };
  task.seed_state = optional(seed_state, "seed_state");
  task.weights = optional(weights, "weights");
  const std::vector<double> nearest = nearestOf(limbsFrom(limbs, search), task);
  task.first = nearest.empty() ? nullptr : nearest.data();
  task.collides = collidesBy(collides);
  return tupleOf(search, foundBy(search, task, world));
}

/// The result of one solution for each of several targets; for some of them there may be none, or
/// none yet, and their closest configurations are in place of solutions.
py::object solveEach(const SingleSearch& search, search::SingleTask& task, std::int64_t count,
                     const CollisionWorld* world, const ResultParts& parts) {
  const double begin = clockNow();
  const CollisionCheck check = checkOf(world, search.numVariables());
  const search::PushOut push = pushOutOf(world);
  task.check = &check;
  task.push = &push;
  py::array positions = newArray<double>(Shape<3>{count, 1, search.numVariables()});
  std::vector<search::OneFound> ones(static_cast<std::size_t>(count));
  search::Work work;
  interruptible(kForever, [&](const parallel::StopWhen& stop) {
    auto* rows = static_cast<double*>(positions.mutable_data());
    work = search.findEach(task, count, {rows, ones.data()}, stop);
  });
  py::object packed = newPacked(count, 1);
  numbersIn(packed) = {
      count,          parts.start,           begin,
      clockNow(),     work.null_space_seeds, work.restarts_converged + work.null_space_converged,
      work.iterations};
  answers::Note* note = notesIn(packed);
  verify::PoseGap* gap = errorsIn(packed);
  for (const search::OneFound& one : ones) {
    const bool left = one.state == search::SingleFound::State::kLeft;
    const int solutions = one.state == search::SingleFound::State::kSolved ? 1 : 0;
    *note = {solutions, 0, 0, one.seeds, solutions};
    note->setState(left ? answers::State::kLeft : answers::State::kDone);
    *gap = {one.distance, one.angle};
    ++note;
    ++gap;
  }
  return newResult(parts, positions, packed);
}

/// solve_one(targets, recurrence, max_steps, world, seed_state, collides, limbs, type, read,
/// stages, start)
///
/// What `find` returns where the one target is not solved. Of several, one solution each is asked
/// for, by all threads; some may have none yet.
PyObject* solveSingle(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  return returned([&]() -> py::object {
    checkCount(count, 7 + ResultParts::kCount);
    const auto& search = problemOf<SingleSearch>(self);
    const py::ssize_t size = search.numVariables();
    const auto target = py::handle(arguments[0]).cast<py::array>();
    const auto recurrence = py::handle(arguments[1]).cast<py::array>();
    const auto max_steps = py::handle(arguments[2]).cast<std::int64_t>();
    require(max_steps >= 0, "max_steps: expected 0 or more");
    const auto* points = readable<double>(recurrence, "recurrence", Shape<2>{2, size});
    const TargetPoses poses = TargetPoses::of(search, target);
    search::SingleTask task{poses.numbers, points, max_steps};
    if (poses.count < 1 || !poses.arePoses(search)) {
      return py::none();
    }
    const auto* world = py::handle(arguments[3]).cast<const CollisionWorld*>();
    if (poses.count > 1) {
      require(arguments[4] == Py_None, "targets: expected one near a seed state");
      return solveEach(search, task, poses.count, world, partsFrom(arguments + 7));
    }
    std::vector<double> alike;
    if (arguments[4] != Py_None) {
      alike.assign(static_cast<std::size_t>(size), 1.0);
      const auto seed_state = py::handle(arguments[4]).cast<py::array>();
      task.seed_state = readable<double>(seed_state, "seed_state", Shape<1>{size});
      task.weights = alike.data();
    }
    task.collides = collidesBy(py::reinterpret_borrow<py::object>(arguments[5]));
    const std::vector<double> nearest = nearestOf(limbsFrom(arguments[6], search), task);
    task.first = nearest.empty() ? nullptr : nearest.data();
    const ResultParts parts = partsFrom(arguments + 7);
    const double begin = clockNow();
    const search::SingleFound found = foundBy(search, task, world);
    if (found.state != search::SingleFound::State::kSolved) {
      return tupleOf(search, found);
    }
    const search::Work& work = found.work;
    const py::object packed = newPacked(1, search.wanted());
    numbersIn(packed) = {1,
                         parts.start,
                         begin,
                         clockNow(),
                         work.null_space_seeds,
                         work.restarts_converged + work.null_space_converged,
                         work.iterations};
    answers::Note& note = *notesIn(packed);
    note = {std::ssize(found.notes), 0, 0, work.restarts + work.null_space_seeds, work.distinct};
    note.setState(answers::State::kDone);
    writeErrors(found, search.wanted(), errorsIn(packed));
    return newResult(parts, positionsOf(search, found), packed);
  });
}

}  // namespace

void bindSearch(py::module_& module) {
  const py::object single =
      py::class_<SingleSearch>(module, "SingleSearch", "The search for solutions of one target.")
          .def(py::init(&makeSingle), py::arg("problem"), py::arg("goals"), py::arg("box"),
               py::arg("grid"), py::arg("joints"), py::arg("budget"), py::arg("near"),
               py::arg("endless"))
          .def("find", &findSingle, py::arg("target"), py::arg("recurrence"), py::arg("max_steps"),
               py::arg("world").none(true) = py::none(), py::arg("propose") = py::none(),
               py::arg("seed_state").none(true) = py::none(),
               py::arg("weights").none(true) = py::none(),
               py::arg("collides").none(true) = py::none(),
               py::arg("limbs").none(true) = py::none());
  addMethod(single, "solve_one", &solveSingle);
  module.def("search", &run, py::arg("task"), py::arg("memory"), py::arg("given"), py::arg("run"),
             py::arg("size"), py::arg("seconds"), py::arg("world").none(true) = py::none(),
             py::arg("decisions").none(true) = py::none(),
             "Search for solutions of some targets at a time, by all threads.");
  module.def("approach_unsolved", &approachUnsolved, py::arg("task"), py::arg("memory"),
             py::arg("run"), py::arg("periodic"), py::arg("deficient"), py::arg("near"),
             py::arg("seconds"), py::arg("world").none(true) = py::none(),
             py::arg("decisions").none(true) = py::none(),
             "Follow more seeds of targets without a solution to their local minima.");
  module.def("find_closest", &findClosest, py::arg("task"), py::arg("options"),
             py::arg("alternatives"), py::arg("targets"), py::arg("positions"), py::arg("errors"),
             py::arg("seconds"),
             "Move configurations to local minima that are closer to targets, by all threads.");
}

}  // namespace generative_ik::bindings

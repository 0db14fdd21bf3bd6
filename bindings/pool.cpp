// The memory of a search, whose arrays Python reads and writes.
#include "pool.hpp"

#include <local_solver/options.hpp>
#include <memory>
#include <optional>
#include <search/pool_rows.hpp>
#include <utility>

#include "arrays.hpp"
#include "gil.hpp"
#include "interrupts.hpp"
#include "module.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;
using search::Grid;
using search::SearchMemory;

std::unique_ptr<Memory> makeMemory(std::int64_t num_targets, std::int64_t capacity,
                                   std::int64_t looked_for, std::int64_t steps,
                                   std::int64_t restarts, const py::tuple& grid,
                                   const py::array& closest) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  for (const std::int64_t number : {num_targets, capacity, looked_for, steps, restarts}) {
    require(0 <= number && number <= kMost, "memory: a number below 0, or more than 2^40");
  }
  const auto* row = readable<double>(closest, "closest", Shape<1>{kAny});
  const py::ssize_t size = closest.size();
  const Arrays of(grid, "grid", 2);
  const py::array of_floats = of.at(0);
  const py::array of_ints = of.at(1);
  const auto* floats = readable<double>(of_floats, "grid.floats", Shape<1>{1 + Grid::kJoints});
  const auto* ints =
      readable<std::int64_t>(of_ints, "grid.ints", Shape<1>{2 * Grid::kJoints + size});
  require(size > 0 && Grid::of(floats, ints).fits(size),
          "grid: not one that `search_space` has made");
  std::optional<SearchMemory> found;
  interruptible(kForever, [&](const parallel::StopWhen& stop) {
    found.emplace(search::Room{num_targets, size, capacity, looked_for, steps}, restarts, row,
                  stop);
  });
  return std::make_unique<Memory>(Memory{
      *std::move(found), {floats, floats + of_floats.size()}, {ints, ints + of_ints.size()}});
}

/// The type of numpy's records of targets, with their fields.
py::dtype targetType() {
  using search::Target;
  [[maybe_unused]] static const bool kKnown = [] {
    PYBIND11_NUMPY_DTYPE(
        Target, restarts, restarts_left, restarts_ended, restarts_converged, sample, sample_new,
        saturated, window, window_away, traced_all, null_space_pays, null_space_seeds,
        null_space_converged, round_size, round_left, round_ended, round_new, queue_end,
        queue_begin, near, towards_seed, towards_seed_begun, towards_seed_ended, nearest, moved,
        usable, free, doubled, iterations, seed_row, needs_seeds, closed, complete, closest_error);
    return true;
  }();
  return py::dtype::of<Target>();
}

/// Its arrays, in place: solutions, notes, visits, counts, records and closest configurations.
py::tuple memoryArrays(const py::object& self) {
  const auto& memory = self.cast<const Memory&>();
  const auto& [targets, size, capacity, looked_for, steps] = memory.found.room();
  const search::Pool pool = memory.pool();
  static_assert(sizeof(search::SolutionNotes) == 4 * sizeof(double));
  using Lengths = std::vector<py::ssize_t>;
  return py::make_tuple(
      py::array(py::dtype::of<double>(), Lengths{targets, capacity, size}, pool.positions, self),
      py::array(py::dtype::of<double>(), Lengths{targets, capacity, 4}, pool.errors, self),
      py::array(py::dtype::of<std::int64_t>(), Lengths{targets, capacity}, pool.visits, self),
      py::array(py::dtype::of<std::int64_t>(), Lengths{targets}, pool.counts, self),
      py::array(targetType(), Lengths{targets}, memory.found.targets(), self),
      py::array(py::dtype::of<double>(), Lengths{targets, size}, memory.found.closest(), self));
}

void addTo(const Memory& memory, const py::array& rows, const py::array& target_of_row) {
  const search::Room& room = memory.found.room();
  const auto* added = readable<double>(rows, "rows", Shape<2>{kAny, room.size});
  const auto* which =
      readable<std::int64_t>(target_of_row, "target_of_row", Shape<1>{rows.shape(0)});
  checkIndices(which, rows.shape(0), room.targets, "target_of_row");
  const search::Pool pool = memory.pool();
  for (py::ssize_t t = 0; t < room.targets; ++t) {
    require(pool.counts[t] >= 0 && pool.counts[t] <= pool.capacity && search::isInBuckets(pool, t),
            "pool: not one that configurations were added to");
  }
  const GilReleased released;
  search::add(pool, added, which, rows.shape(0));
}

void takeFirstFree(const Memory& memory, py::array positions, py::array errors, py::array counts) {
  const auto& [targets, size, capacity, looked_for, steps] = memory.found.room();
  const search::TakenSolutions taken = {
      writable<double>(positions, "positions", Shape<3>{targets, 1, size}),
      writable<double>(errors, "errors", Shape<3>{targets, 1, 2}),
      writable<std::int64_t>(counts, "counts", Shape<1>{targets})};
  interruptible(kForever, [&](const parallel::StopWhen& stop) {
    search::takeFirstFree(memory.pool(), memory.found.room().targets, taken, stop);
  });
}

/// Restarts, null-space steps, and how many of each converged; iterations of all; solutions.
py::tuple workOf(const Memory& memory) {
  search::Work work;
  {
    const GilReleased released;
    work = memory.found.work();
  }
  return py::make_tuple(work.restarts, work.null_space_seeds, work.restarts_converged,
                        work.null_space_converged, work.iterations, work.distinct);
}

}  // namespace

search::Box boxOf(const py::array& rows, py::ssize_t size) {
  const auto* numbers = readable<double>(rows, "box", Shape<2>{kAny, size});
  require(rows.shape(0) >= search::Box::kRows, "box: fewer than seven rows");
  return search::Box::of(numbers, rows.shape(1));
}

void bindMemory(py::module_& module) {
  module.def("lanes", [] { return kLanes; });
  py::class_<Memory>(module, "SearchMemory",
                     "Solutions of some targets, and what is known of them.")
      .def(py::init(&makeMemory), py::arg("num_targets"), py::arg("capacity"),
           py::arg("looked_for"), py::arg("steps"), py::arg("restarts"), py::arg("grid"),
           py::arg("closest"))
      .def("arrays", &memoryArrays)
      .def("add", &addTo, py::arg("rows"), py::arg("target_of_row"))
      .def("take_first_free", &takeFirstFree, py::arg("positions"), py::arg("errors"),
           py::arg("counts"))
      .def("work", &workOf);
}

}  // namespace generative_ik::bindings

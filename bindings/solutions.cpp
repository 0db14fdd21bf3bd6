// Whole arrays of solutions put into a pool, and taken out of one.
#include <cstdint>
#include <local_solver/options.hpp>
#include <search/pool_rows.hpp>

#include "arrays.hpp"
#include "gil.hpp"
#include "interrupts.hpp"
#include "module.hpp"
#include "pool.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;

void addToPool(const py::tuple& arrays, const py::array& rows, const py::array& target_of_row) {
  const auto* added = readable<double>(rows, "rows", Shape<2>{kAny, kAny});
  const py::ssize_t size = rows.shape(1);
  const auto [pool, targets] = poolOf(arrays, size);
  const auto* which =
      readable<std::int64_t>(target_of_row, "target_of_row", Shape<1>{rows.shape(0)});
  checkIndices(which, rows.shape(0), targets, "target_of_row");
  require(pool.grid.fits(size), "grid: not one that `search_space` has made");
  for (py::ssize_t t = 0; t < targets; ++t) {
    require(pool.counts[t] >= 0 && pool.counts[t] <= pool.capacity && search::isInBuckets(pool, t),
            "pool: not one that configurations were added to");
  }
  const GilReleased released;
  search::add(pool, added, which, rows.shape(0));
}

void clearBuckets(py::array heads) {
  auto* numbers = writable<std::int32_t>(heads, "heads", Shape<2>{kAny, kAny});
  interruptible(kForever, [&](const parallel::StopWhen& stop) {
    search::clearBuckets(numbers, heads.size(), stop);
  });
}

// NOLINTNEXTLINE(readability-function-size): arrays are passed one by one
void firstFree(const py::array& found, const py::array& found_errors,
               const py::array& found_counts, py::array positions, py::array errors,
               py::array counts) {
  const auto* rows = readable<double>(found, "found", Shape<3>{kAny, kAny, kAny});
  const py::ssize_t targets = found.shape(0);
  const py::ssize_t capacity = found.shape(1);
  const py::ssize_t size = found.shape(2);
  const auto* notes =
      readable<double>(found_errors, "found_errors", Shape<3>{targets, capacity, 4});
  const search::FoundSolutions solutions = {
      targets, capacity, size, rows,
      // NOLINTNEXTLINE(*-reinterpret-cast): four numbers
      reinterpret_cast<const search::SolutionNotes*>(notes),
      readable<std::int64_t>(found_counts, "found_counts", Shape<1>{targets})};
  const search::TakenSolutions taken = {
      writable<double>(positions, "positions", Shape<3>{targets, 1, size}),
      writable<double>(errors, "errors", Shape<3>{targets, 1, 2}),
      writable<std::int64_t>(counts, "counts", Shape<1>{targets})};
  interruptible(kForever, [&](const parallel::StopWhen& stop) {
    search::takeFirstFree(solutions, taken, stop);
  });
}

}  // namespace

void bindSolutions(py::module_& module) {
  module.def("lanes", [] { return kLanes; });
  module.def("pool_add", &addToPool, py::arg("pool"), py::arg("rows"), py::arg("target_of_row"));
  module.def("count_buckets", &search::countBuckets, py::arg("capacity"), py::arg("looked_for"));
  module.def("clear_buckets", &clearBuckets, py::arg("heads"));
  module.def("take_first_free", &firstFree, py::arg("found"), py::arg("found_errors"),
             py::arg("found_counts"), py::arg("positions"), py::arg("errors"), py::arg("counts"));
}

}  // namespace generative_ik::bindings

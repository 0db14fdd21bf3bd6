#include "pool.hpp"

#include <cstdint>
#include <search/consistency.hpp>

#include "arrays.hpp"
#include "records.hpp"

namespace generative_ik::bindings {
namespace py = pybind11;
using search::Grid;
using search::Pool;

PoolOfTargets poolOf(const py::tuple& arrays, py::ssize_t size) {
  const Arrays from(arrays, "pool", 8);
  constexpr py::ssize_t kJoints = Grid::kJoints;
  Pool pool{};
  pool.grid =
      Grid::of(readable<double>(from.at(0), "pool.grid_floats", Shape<1>{1 + kJoints}),
               readable<std::int64_t>(from.at(1), "pool.grid_ints", Shape<1>{2 * kJoints + size}));
  pool.size = size;
  py::array positions = from.at(2);
  pool.positions = writable<double>(positions, "pool.positions", Shape<3>{kAny, kAny, size});
  const py::ssize_t targets = positions.shape(0);
  pool.capacity = positions.shape(1);
  py::array numbers = from.at(3);
  auto* errors = writable<double>(numbers, "pool.errors", Shape<3>{targets, pool.capacity, 4});
  static_assert(sizeof(search::SolutionNotes) == 4 * sizeof(double));
  // NOLINTNEXTLINE(*-reinterpret-cast): four numbers
  pool.errors = reinterpret_cast<search::SolutionNotes*>(errors);
  const Shape<2> each = {targets, pool.capacity};
  py::array visits = from.at(4);
  py::array counts = from.at(5);
  py::array heads = from.at(6);
  py::array before = from.at(7);
  pool.visits = writable<std::int64_t>(visits, "pool.visits", each);
  pool.before = writable<std::int32_t>(before, "pool.before", each);
  pool.counts = writable<std::int64_t>(counts, "pool.counts", Shape<1>{targets});
  pool.heads = writable<std::int32_t>(heads, "pool.heads", Shape<2>{targets, kAny});
  pool.buckets = heads.shape(1);
  require(pool.buckets > 0 && (pool.buckets & (pool.buckets - 1)) == 0,
          "pool.heads: the number of buckets is not a power of two");
  return {pool, targets};
}

search::Box boxOf(const py::array& rows, py::ssize_t size) {
  const auto* numbers = readable<double>(rows, "box", Shape<2>{kAny, size});
  require(rows.shape(0) >= search::Box::kRows, "box: fewer than seven rows");
  return search::Box::of(numbers, rows.shape(1));
}

search::SearchArrays beginArrays(const py::array& box, const py::tuple& pool, py::array& targets,
                                 search::Run& run, py::ssize_t poses, py::ssize_t size) {
  search::SearchArrays arrays{};
  arrays.box = boxOf(box, size);
  const auto [of_targets, count] = poolOf(pool, size);
  arrays.pool = of_targets;
  arrays.targets = writableRecords<search::Target>(targets, "targets", count);
  arrays.run = &run;
  require(arrays.run->alternatives == 0, "run: expected one without alternatives");
  if (const char* fault = search::faultOfTargets(arrays, {count, poses, 0})) {
    refuse(fault);
  }
  return arrays;
}

}  // namespace generative_ik::bindings

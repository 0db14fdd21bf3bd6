#include "pool.hpp"

#include <cstdint>
#include <search/consistency.hpp>

#include "arrays.hpp"
#include "records.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;
using search::Grid;
using search::Pool;

Grid gridOf(const py::array& floats, const py::array& ints, py::ssize_t size) {
  constexpr py::ssize_t kJoints = Grid::kJoints;
  return Grid::of(readable<double>(floats, "grid_floats", Shape<1>{1 + kJoints}),
                  readable<std::int64_t>(ints, "grid_ints", Shape<1>{2 * kJoints + size}));
}

}  // namespace

Pool poolOf(const PoolArguments& from, py::ssize_t size) {
  Pool pool{};
  pool.grid = gridOf(from.grid_floats, from.grid_ints, size);
  pool.size = size;
  pool.positions = writable<double>(from.positions, "positions", Shape<3>{kAny, kAny, size});
  const py::ssize_t targets = from.positions.shape(0);
  pool.capacity = from.positions.shape(1);
  auto* errors = writable<double>(from.errors, "errors", Shape<3>{targets, pool.capacity, 4});
  static_assert(sizeof(search::SolutionNotes) == 4 * sizeof(double));
  // NOLINTNEXTLINE(*-reinterpret-cast): four numbers
  pool.errors = reinterpret_cast<search::SolutionNotes*>(errors);
  const Shape<2> each = {targets, pool.capacity};
  pool.visits = writable<std::int64_t>(from.visits, "visits", each);
  pool.before = writable<std::int32_t>(from.before, "before", each);
  pool.counts = writable<std::int64_t>(from.counts, "counts", Shape<1>{targets});
  pool.heads = writable<std::int32_t>(from.heads, "heads", Shape<2>{targets, kAny});
  pool.buckets = from.heads.shape(1);
  require(pool.buckets > 0 && (pool.buckets & (pool.buckets - 1)) == 0,
          "heads: the number of buckets is not a power of two");
  return pool;
}

search::Box boxOf(const py::array& rows, py::ssize_t size) {
  const auto* numbers = readable<double>(rows, "box", Shape<2>{kAny, size});
  require(rows.shape(0) >= search::Box::kRows, "box: fewer than seven rows");
  return search::Box::of(numbers, rows.shape(1));
}

search::SearchArrays beginArrays(const py::array& box, const PoolArguments& pool,
                                 py::array& targets, py::array& run, py::ssize_t poses,
                                 py::ssize_t size) {
  search::SearchArrays arrays{};
  arrays.box = boxOf(box, size);
  arrays.pool = poolOf(pool, size);
  const py::ssize_t count = pool.positions.shape(0);
  arrays.targets = writableRecords<search::Target>(targets, "targets", count);
  arrays.run = writableRecords<search::Run>(run, "run", 1);
  require(arrays.run->alternatives == 0, "run: expected one without alternatives");
  if (const char* fault = search::faultOfTargets(arrays, {count, poses, 0})) {
    refuse(fault);
  }
  return arrays;
}

}  // namespace generative_ik::bindings

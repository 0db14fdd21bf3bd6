// The search for paths: arrays and calls of Python, as the core takes them.
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <paths/find_path.hpp>
#include <vector>

#include "arrays.hpp"
#include "gil.hpp"
#include "interrupts.hpp"
#include "module.hpp"
#include "pool.hpp"
#include "problem.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;
using paths::Rows;

py::array arrayOf(const Rows& rows) {
  py::array array = newArray<double>(Shape<2>{rows.size(), rows.width()});
  std::copy(rows.numbers().begin(), rows.numbers().end(),
            static_cast<double*>(array.mutable_data()));
  return array;
}

std::optional<Rows> rowOf(const std::optional<py::array>& q, const char* name, std::int64_t n) {
  if (!q) {
    return std::nullopt;
  }
  return Rows(n, readable<double>(*q, name, Shape<1>{n}), 1);
}

paths::PathCalls callsOf(const py::function& solutions, const py::object& collides,
                         const py::function& offer, std::int64_t n) {
  return {
      [solutions, n](std::int64_t pose, std::int64_t count, std::int64_t seed, bool exactly) {
        return withGil([&] {
          const py::array found = solutions(pose, count, seed, exactly);
          return Rows(n, readable<double>(found, "solutions", Shape<2>{kAny, n}), found.shape(0));
        });
      },
      [collides, n](const double* q) {
        return withGil([&] {
          const Rows row(n, q, 1);
          return collides(arrayOf(row).attr("reshape")(n)).cast<bool>();
        });
      },
      [offer](const Rows& path, double value) {
        return withGil([&] { return offer(arrayOf(path), value).cast<bool>(); });
      }};
}

/// A call's arrays, checked, and what its task views.
class PathCall {
 public:
  /// Without a problem of a chain, the regions are those of all goals of a tree.
  PathCall(const std::optional<py::tuple>& problem, const std::optional<py::tuple>& regions,
           bool around, const py::array& targets, const py::array& bounds,
           const CollisionWorld* world, paths::PathCalls calls, double seconds)
      : calls_(std::move(calls)), stop_(stopAfter(seconds)) {
    const py::ssize_t n = bounds.ndim() == 2 ? bounds.shape(1) : 0;
    const auto* rows = readable<double>(bounds, "bounds", Shape<2>{5, kAny});
    if (problem) {
      task_.chain = packedOf(*problem);
      require(n > 0 && search::ChainProblem::takes(task_.chain, n),
              "problem: not one that `problem` has made");
    }
    task_.num_poses = targets.ndim() > 0 ? targets.shape(0) : 0;
    require(task_.num_poses > 0, "targets: expected at least one");
    require(problem || regions, "problem and regions: expected one of them");
    if (regions) {
      require(goals_.read(packedOf(*regions, "regions")) && goals_.tree.num_variables == n &&
                  goals_.fits(task_.num_poses) && goals_.tree.num_goals > 0,
              "regions: not those of so many joints and targets");
      require(!problem || goals_.tree.num_goals == 1, "regions: expected those of one tip");
      task_.goals = &goals_;
    }
    task_.targets = problem ? readable<double>(targets, "targets", Shape<3>{kAny, 4, 4})
                            : readable<double>(targets, "targets",
                                               Shape<4>{kAny, goals_.tree.num_goals, 4, 4});
    task_.around = around;
    task_.size = n;
    task_.lower = rows;
    task_.upper = rows + n;
    task_.max_step = rows + 2 * n;
    task_.unit = rows + 3 * n;
    task_.weight = rows + 4 * n;
    for (py::ssize_t v = 0; v < n; ++v) {
      require(rows[v] <= rows[n + v] && rows[2 * n + v] > 0.0 && rows[3 * n + v] > 0.0 &&
                  rows[4 * n + v] > 0.0,
              "bounds: expected lower ones below upper ones, and others above 0");
    }
    require(world == nullptr || world->numVariables() == n, "world: not one of so many joints");
    task_.world = world;
    task_.calls = &calls_;
    // Once an interrupt has come, the search is over.
    stop_.interrupted = [this, ask = stop_.interrupted] { return over_ = over_ || ask(); };
    task_.stop = &stop_;
  }
  PathCall(const PathCall&) = delete;
  PathCall& operator=(const PathCall&) = delete;
  PathCall(PathCall&&) = delete;
  PathCall& operator=(PathCall&&) = delete;
  ~PathCall() = default;

  [[nodiscard]] const paths::PathTask& task() const { return task_; }
  /// Of a tree, in how many ways its goals leave it free at most.
  void leaveFree(std::int64_t freedom) {
    require(freedom >= 0 && freedom <= task_.size, "freedom: more than there are joints");
    task_.freedom = freedom;
  }

 private:
  paths::PathCalls calls_;
  parallel::StopWhen stop_;
  bool over_ = false;
  search::GoalNumbers goals_{};
  paths::PathTask task_;
};

// NOLINTNEXTLINE(readability-function-size): arrays are passed one by one
py::tuple findPath(const std::optional<py::tuple>& problem,
                   const std::optional<py::tuple>& regions, bool around, std::int64_t freedom,
                   const py::array& targets, const py::array& bounds,
                   const std::optional<py::array>& before, const std::optional<py::array>& outside,
                   const std::optional<py::array>& last, bool closed,
                   std::optional<std::int64_t> objective, const CollisionWorld* world,
                   const py::function& solutions, const py::object& collides,
                   const py::function& offer, double seconds) {
  const py::ssize_t n = bounds.ndim() == 2 ? bounds.shape(1) : 0;
  PathCall call(problem, regions, around, targets, bounds, world,
                callsOf(solutions, collides, offer, n), seconds);
  call.leaveFree(freedom);
  const paths::Ends ends = {rowOf(before, "before", n), std::nullopt, rowOf(last, "last", n),
                            rowOf(outside, "outside", n)};
  std::optional<paths::Objective> wanted;
  if (objective) {
    if (*objective < 0 || *objective > 3) {
      throw py::value_error("objective: expected 0 to 3");
    }
    wanted = static_cast<paths::Objective>(*objective);
  }
  const paths::Found found =
      withoutGil([&] { return paths::findPath(call.task(), wanted, ends, closed); });
  throwInterrupt();
  const auto motion = [n](const std::vector<double>& q) {
    return arrayOf(Rows(n, q.data(), q.empty() ? 0 : 1));
  };
  return py::make_tuple(arrayOf(found.best), static_cast<std::int64_t>(found.end.ending),
                        motion(found.end.before), motion(found.end.after), found.timed_out);
}

bool isSolution(const std::optional<py::tuple>& problem, const std::optional<py::tuple>& regions,
                const py::array& targets, const py::array& bounds, const py::array& q,
                std::int64_t pose) {
  const PathCall call(problem, regions, false, targets, bounds, nullptr, {}, kForever);
  const std::int64_t n = call.task().size;
  checkIndices(&pose, 1, call.task().num_poses, "pose");
  return paths::solved(call.task(), Rows(n, readable<double>(q, "q", Shape<1>{n}), 1),
                       {pose})[0] != 0;
}

}  // namespace

void bindPaths(py::module_& module) {
  module.def("find_path", &findPath, py::arg("problem").none(true), py::arg("regions").none(true),
             py::arg("around"), py::arg("freedom"), py::arg("targets"), py::arg("bounds"),
             py::arg("before").none(true), py::arg("outside").none(true),
             py::arg("last").none(true), py::arg("closed"), py::arg("objective").none(true),
             py::arg("world").none(true), py::arg("solutions"), py::arg("collides").none(true),
             py::arg("offer"), py::arg("seconds"));
  module.def("is_solution", &isSolution, py::arg("problem").none(true),
             py::arg("regions").none(true), py::arg("targets"), py::arg("bounds"), py::arg("q"),
             py::arg("pose"));
}

}  // namespace generative_ik::bindings

// Null-space optimization: arrays of a call, as the core takes them.
#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <optimize/null_space_optimizer.hpp>
#include <vector>

#include "arrays.hpp"
#include "collision.hpp"
#include "gil.hpp"
#include "interrupts.hpp"
#include "module.hpp"
#include "pool.hpp"
#include "problem.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;
using optimize::NullSpaceOptimizer;
using optimize::Optimized;
using optimize::Score;

constexpr py::ssize_t kRegionSize = RegionRow::kSize;

/// Score, and what it is measured by.
struct ScoreArguments {
  std::int64_t score;
  const py::array& joints;  // (3, n) limits, and weights of the distance from the seed state
  const CollisionWorld* world;
};

optimize::Setting settingOf(const py::tuple& problem, const py::array& box, const py::array& poses,
                            const py::array& held, std::int64_t dimension,
                            const ScoreArguments& score) {
  const auto* rows = readable<double>(box, "box", Shape<2>{search::Box::kRows, kAny});
  const py::ssize_t n = box.shape(1);
  optimize::Setting setting{};
  setting.packed = packedOf(problem);
  const Wanted wanted = wantedOf(setting.packed, poses, n);
  setting.goals = wanted.goals;
  setting.numbers = wanted.numbers;
  setting.poses = wanted.poses;
  if (wanted.goals) {
    const auto goals = static_cast<py::ssize_t>(wanted.numbers.tree.num_goals);
    const auto count = static_cast<py::ssize_t>(wanted.numbers.checks.count);
    setting.held = readable<double>(held, "held", Shape<3>{count, goals, kRegionSize});
  }
  require(dimension > 0 && dimension <= n, "dimension: expected 1 to the number of joints");
  setting.dimension = dimension;
  setting.box = search::Box::of(rows, n);
  const auto* joints = readable<double>(score.joints, "joints", Shape<2>{3, n});
  setting.lower = joints;
  setting.upper = joints + n;
  setting.weights = joints + 2 * n;
  require(score.score >= 0 && score.score <= static_cast<std::int64_t>(Score::kGiven),
          "score: expected 0 to 4");
  setting.score = static_cast<Score>(score.score);
  require(setting.score != Score::kClearance || score.world != nullptr,
          "world: a clearance needs one");
  require(score.world == nullptr || score.world->numVariables() == n,
          "world: not one of so many joints");
  setting.world = score.world;
  return setting;
}

/// An optimizer, and how many targets there are.
struct Optimizer {
  NullSpaceOptimizer core;
  std::int64_t num_targets;
  py::ssize_t size;  // joints

  [[nodiscard]] py::ssize_t count() const { return static_cast<py::ssize_t>(core.size()); }
  void check(std::int64_t s) const {
    require(s >= 0 && s < core.size(), "rows: there is no such configuration");
  }
};

/// A new array of a number of each configuration.
template <class Number, class Function>
py::array numbersOf(const Optimizer& of, const Function& number_of) {
  py::array numbers = newArray<Number>(Shape<1>{of.count()});
  auto* out = static_cast<Number*>(numbers.mutable_data());
  for (std::int64_t s = 0; s < of.core.size(); ++s) {
    out[s] = number_of(of.core.row(s));
  }
  return numbers;
}

/// A new array of a configuration for each of some.
template <class Function>
py::array configurations(const Optimizer& of, const std::vector<std::int64_t>& some,
                         const Function& of_row) {
  py::array rows = newArray<double>(Shape<2>{static_cast<py::ssize_t>(some.size()), of.size});
  auto* out = static_cast<double*>(rows.mutable_data());
  for (const std::int64_t s : some) {
    out = std::copy_n(of_row(s), of.size, out);
  }
  return rows;
}

std::vector<std::int64_t> allOf(const Optimizer& of) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(of.count()));
  for (std::size_t s = 0; s < all.size(); ++s) {
    all[s] = static_cast<std::int64_t>(s);
  }
  return all;
}

py::array score(const Optimizer& of, const py::array& positions) {
  const auto* rows = readable<double>(positions, "positions", Shape<2>{kAny, of.size});
  py::array scores = newArray<double>(Shape<1>{positions.shape(0)});
  auto* out = static_cast<double*>(scores.mutable_data());
  const GilReleased released;
  of.core.score(rows, positions.shape(0), out);
  return scores;
}

void add(Optimizer& of, const py::array& positions, const py::array& targets,
         const py::array& values, const py::array& free, double radius) {
  const auto* rows = readable<double>(positions, "positions", Shape<2>{kAny, of.size});
  const py::ssize_t count = positions.shape(0);
  const auto* poses = readable<std::int64_t>(targets, "targets", Shape<1>{count});
  const auto* scores = readable<double>(values, "values", Shape<1>{count});
  const auto* are_free = readable<bool>(free, "free", Shape<1>{count});
  checkIndices(poses, count, of.num_targets, "targets");
  for (py::ssize_t s = 0; s < count; ++s) {
    of.core.add(rows + s * of.size, poses[s], scores[s], are_free[s], radius);
  }
}

void run(Optimizer& of, double least, double seconds) {
  interruptible(seconds, [&](const parallel::StopWhen& stop) { of.core.optimize(least, stop); });
}

bool propose(Optimizer& of, double least) {
  const GilReleased released;
  return of.core.propose(least);
}

py::array trials(const Optimizer& of) {
  return configurations(of, of.core.toScore(), [&of](std::int64_t s) { return of.core.trial(s); });
}

void bindMethods(py::class_<Optimizer>& type) {
  type.def_property_readonly("values",
                             [](const Optimizer& of) {
                               return numbersOf<double>(
                                   of, [](const Optimized& row) { return row.search.value(); });
                             })
      .def_property_readonly("free_values",
                             [](const Optimizer& of) {
                               return numbersOf<double>(
                                   of, [](const Optimized& row) { return row.free_value; });
                             })
      .def_property_readonly("free",
                             [](const Optimizer& of) {
                               return numbersOf<bool>(of, [](const Optimized& row) {
                                 return row.verdict == Verdict::kFree;
                               });
                             })
      .def_property_readonly("targets",
                             [](const Optimizer& of) {
                               return numbersOf<std::int64_t>(
                                   of, [](const Optimized& row) { return row.target; });
                             })
      .def_property_readonly("positions",
                             [](const Optimizer& of) {
                               return configurations(of, allOf(of), [&of](std::int64_t s) {
                                 return of.core.position(s);
                               });
                             })
      .def_property_readonly("free_positions", [](const Optimizer& of) {
        return configurations(of, allOf(of),
                              [&of](std::int64_t s) { return of.core.freePosition(s); });
      });
}

}  // namespace

void bindOptimization(py::module_& module) {
  py::class_<Optimizer> type(module, "NullSpaceOptimizer");
  type.def(py::init([](const py::tuple& problem, const py::array& box, const py::array& poses,
                       const py::array& held, std::int64_t dimension, std::int64_t score,
                       const py::array& joints, const CollisionWorld* world) {
             return Optimizer{NullSpaceOptimizer(settingOf(problem, box, poses, held, dimension,
                                                           {score, joints, world})),
                              poses.shape(0), box.shape(1)};
           }),
           py::arg("problem"), py::arg("box"), py::arg("poses"), py::arg("held"),
           py::arg("dimension"), py::arg("score"), py::arg("joints"), py::arg("world").none(true),
           py::keep_alive<1, 2>(), py::keep_alive<1, 3>(), py::keep_alive<1, 4>(),
           py::keep_alive<1, 5>(), py::keep_alive<1, 8>(), py::keep_alive<1, 9>())
      .def("score", &score, py::arg("positions"))
      .def("add", &add, py::arg("positions"), py::arg("targets"), py::arg("values"),
           py::arg("free"), py::arg("radius"))
      .def(
          "end",
          [](Optimizer& of, const std::vector<std::int64_t>& rows) {
            for (const std::int64_t s : rows) {
              of.check(s);
              of.core.end(s);
            }
          },
          py::arg("rows"))
      .def(
          "restart",
          [](Optimizer& of, std::int64_t row, double value, double radius) {
            of.check(row);
            of.core.restart(row, value, radius);
          },
          py::arg("row"), py::arg("value"), py::arg("radius"))
      .def(
          "set_free_value",
          [](Optimizer& of, std::int64_t row, double value) {
            of.check(row);
            of.core.setFreeValue(row, value);
          },
          py::arg("row"), py::arg("value"))
      .def(
          "measure_shapes",
          [](Optimizer& of, const WorldShapes& shapes) {
            require(shapes.world.numVariables() == of.size, "shapes: not of so many joints");
            of.core.measureShapes(shapes.shapes);
          },
          py::arg("shapes"), py::keep_alive<1, 2>())
      .def("optimize", &run, py::arg("least"), py::arg("seconds"))
      .def("propose", &propose, py::arg("least"))
      .def("trials", &trials)
      .def(
          "judge",
          [](Optimizer& of, const py::array& values) {
            const auto count = static_cast<py::ssize_t>(of.core.toScore().size());
            of.core.judge(readable<double>(values, "values", Shape<1>{count}));
          },
          py::arg("values"));
  bindMethods(type);
}

}  // namespace generative_ik::bindings

// How long searches go on, and the sequence of their seeds.
#include <pybind11/stl.h>

#include <cstdint>
#include <optional>
#include <string>

#include "arrays.hpp"
#include "module.hpp"
#include "pool.hpp"
#include "search/budget.hpp"
#include "search/recurrence.hpp"
#include "search/single_search.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;
using search::Budget;

py::array recurrence(std::uint64_t random_seed, std::int64_t dimensions) {
  constexpr std::int64_t kMost = 1 << 16;
  if (dimensions < 0 || dimensions > kMost) {
    throw py::value_error("dimensions: expected 0 to " + std::to_string(kMost) + ", got " +
                          std::to_string(dimensions));
  }
  py::array both = newArray<double>(Shape<2>{2, dimensions});
  auto* shift = static_cast<double*>(both.mutable_data());
  search::writeRecurrence(random_seed, dimensions, shift, shift + dimensions);
  return both;
}

// NOLINTNEXTLINE(readability-function-size): numbers are passed one by one
Budget budgetOf(std::int64_t wanted, std::int64_t num_targets, std::int64_t num_joints,
                std::int64_t num_tips, std::int64_t dimensions, std::int64_t breadth,
                bool redundant, bool around, bool unmeasured, bool deficient, bool approximate,
                bool scored, bool optimized, bool checked, bool alone,
                std::optional<double> seeds_per_solution, std::int64_t first_seeds) {
  constexpr std::int64_t kMost = std::int64_t{1} << 32;
  for (const std::int64_t number : {num_targets, num_joints, num_tips, breadth, first_seeds}) {
    require(0 <= number && number <= kMost, "budget: a number below 0, or more than 2^32");
  }
  require(wanted > 0, "wanted: expected one or more");
  return search::budgetOf({wanted, num_targets, num_joints, num_tips, dimensions, breadth,
                           redundant, around, unmeasured, deficient, approximate, scored,
                           optimized, checked, alone, seeds_per_solution, first_seeds});
}

search::Run runOf(const Budget& budget, std::int64_t first, std::int64_t last, std::int64_t before,
                  bool endless, std::int64_t alternatives, bool checks) {
  search::Run run = budget.run(last);
  run.first = run.next_target = first;
  run.seeds_before = before;
  run.endless = endless;
  run.alternatives = alternatives;
  run.checks = checks;
  return run;
}

}  // namespace

void bindPolicy(py::module_& module) {
  module.attr("SIDE_BY_SIDE") = search::kSideBySide;
  py::class_<Budget>(module, "Budget", "What a search is told to do for each target.")
      .def(py::init(&budgetOf), py::arg("wanted"), py::arg("num_targets"), py::arg("num_joints"),
           py::arg("num_tips"), py::arg("dimensions"), py::arg("breadth"), py::arg("redundant"),
           py::arg("around"), py::arg("unmeasured"), py::arg("deficient"), py::arg("approximate"),
           py::arg("scored"), py::arg("optimized"), py::arg("checked"), py::arg("alone"),
           py::arg("seeds_per_solution"), py::arg("first_seeds"))
      .def_readonly("looked_for", &Budget::looked_for)
      .def_readonly("first_batch", &Budget::first_batch)
      .def_readonly("steps_each", &Budget::steps_each)
      .def_property_readonly("capacity", &Budget::capacity);
  py::class_<search::Run>(module, "Run", "The search for some targets.")
      .def(py::init(&runOf), py::arg("budget"), py::arg("first"), py::arg("last"),
           py::arg("before"), py::arg("endless"), py::arg("alternatives"), py::arg("checks"));
  module.def(
      "near_error",
      [](double position_weight, double orientation_weight, double position_tolerance,
         double orientation_tolerance) {
        return search::nearError({position_tolerance, orientation_tolerance}, position_weight,
                                 orientation_weight);
      },
      py::arg("position_weight"), py::arg("orientation_weight"), py::arg("position_tolerance"),
      py::arg("orientation_tolerance"));
  module.def("next_batch", &search::nextBatch, py::arg("ended"), py::arg("converged"));
  module.def("recurrence", &recurrence, py::arg("random_seed"), py::arg("dimensions"));
}

}  // namespace generative_ik::bindings

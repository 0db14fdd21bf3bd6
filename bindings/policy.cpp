// How long searches go on, and the sequence of their seeds.
#include <pybind11/stl.h>

#include <cstdint>
#include <optional>
#include <string>

#include "arrays.hpp"
#include "module.hpp"
#include "search/effort.hpp"
#include "search/recurrence.hpp"
#include "search/single_search.hpp"
#include "search/stopping_policy.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;

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

}  // namespace

void bindPolicy(py::module_& module) {
  module.attr("GIVE_UP") = search::kGiveUp;
  module.attr("FAR") = search::kFar;
  module.attr("SIDE_BY_SIDE") = search::kSideBySide;
  module.attr("MOST_EXTRA") = search::kMostExtra;
  module.attr("APPROXIMATIONS") = search::kApproximations;
  module.def(
      "persistence_of",
      [](std::int64_t num_joints, bool unmeasured, bool hurried, bool deficient) {
        const auto [error, most] =
            search::persistenceOf({num_joints, unmeasured, hurried, deficient});
        return py::make_tuple(error, most);
      },
      py::arg("num_joints"), py::arg("unmeasured"), py::arg("hurried"), py::arg("deficient"));
  module.def("extra_solutions", &search::extraSolutions, py::arg("wanted"), py::arg("dimensions"),
             py::arg("redundant"));
  module.def(
      "first_batch",
      [](std::int64_t wanted, std::int64_t dimensions, bool redundant, bool around, bool traced,
         std::optional<double> each, std::int64_t least) {
        return search::firstBatch({wanted, dimensions, redundant, around, traced}, each, least);
      },
      py::arg("wanted"), py::arg("dimensions"), py::arg("redundant"), py::arg("around"),
      py::arg("traced"), py::arg("each") = py::none(), py::arg("least") = 0);
  module.def("null_space_step", &search::nullSpaceStep, py::arg("dimensions"));
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
  module.def("has_enough", &search::hasEnough, py::arg("free"), py::arg("usable"),
             py::arg("wanted"));
  module.def("recurrence", &recurrence, py::arg("random_seed"), py::arg("dimensions"));
}

}  // namespace generative_ik::bindings

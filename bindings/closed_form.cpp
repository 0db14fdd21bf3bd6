// Closed forms: the address of each family's code, and calls of it.
#include "closed_form.hpp"

#include <pybind11/stl.h>

#include <answers/branch_problem.hpp>
#include <cstddef>
#include <cstdint>
#include <generative_ik/closed_form.hpp>
#include <string>

#include "arrays.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;

std::int64_t find(const ClosedForm& form, const py::array& parameters, const py::array& tip_pose,
                  py::array branches) {
  const auto* numbers = readable<double>(parameters, "parameters", Shape<1>{kAny});
  if (!form.takes(numbers, static_cast<std::size_t>(parameters.size()))) {
    throw py::value_error("parameters: not those of an arm of the family " +
                          std::string(form.name));
  }
  const auto* pose = readable<double>(tip_pose, "tip_pose", Shape<2>{4, 4});
  auto* rows = writable<double>(branches, "branches", Shape<2>{kAny, 6});
  if (branches.shape(0) < form.max_branches) {
    throw py::value_error("branches: expected " + std::to_string(form.max_branches) +
                          " rows or more, got " + std::to_string(branches.shape(0)));
  }
  return form.kernel(numbers, pose, rows);
}

}  // namespace

void bindClosedForms(py::module_& module) {
  py::class_<ClosedForm>(module, "ClosedForm", "A family of arms that have a closed form.")
      .def_readonly("name", &ClosedForm::name)
      .def_readonly("max_branches", &ClosedForm::max_branches)
      .def_property_readonly(
          "max_rows",
          [](const ClosedForm& form) { return form.max_branches + answers::kMostBeside; })
      .def_property_readonly(
          "address",
          // NOLINTNEXTLINE(*-reinterpret-cast): compiled code calls it by its address
          [](const ClosedForm& form) { return reinterpret_cast<std::uintptr_t>(form.kernel); })
      .def("find", &find, py::arg("parameters"), py::arg("tip_pose"), py::arg("branches"),
           "Write the branches of a pose and return how many, or -1 - count.");
  module.def("closed_forms", &closedForms, "Return all families.");
}

}  // namespace generative_ik::bindings

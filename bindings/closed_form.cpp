// Closed forms: which one a chain has, and its branches.
#include <pybind11/stl.h>

#include <algorithm>
#include <answers/branch_problem.hpp>
#include <cstddef>
#include <cstdint>
#include <generative_ik/closed_form.hpp>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "answer_calls.hpp"
#include "arrays.hpp"
#include "joint_tree.hpp"
#include "module.hpp"
#include "pool.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;

/// Branches (n, max_branches, 6) of each pose, NaN behind its last one, and how many (n,).
py::tuple find(const ClosedForm& form, const py::array& parameters, const py::array& tip_poses) {
  const auto* numbers = readable<double>(parameters, "parameters", Shape<1>{kAny});
  if (!form.takes(numbers, static_cast<std::size_t>(parameters.size()))) {
    throw py::value_error("parameters: not those of an arm of the family " +
                          std::string(form.name));
  }
  const auto* poses = readable<double>(tip_poses, "tip_poses", Shape<3>{kAny, 4, 4});
  const py::ssize_t count = tip_poses.shape(0);
  py::array branches = newArray<double, 3>({count, form.max_branches, 6});
  py::array counts = newArray<std::int64_t, 1>({count});
  auto* rows = static_cast<double*>(branches.mutable_data());
  auto* found = static_cast<std::int64_t*>(counts.mutable_data());
  for (py::ssize_t i = 0; i < count; ++i) {
    double* own = rows + 6 * form.max_branches * i;
    found[i] = form.kernel(numbers, poses + 16 * i, own);
    const std::int64_t used = found[i] < 0 ? -1 - found[i] : found[i];
    std::fill(own + 6 * used, own + 6 * form.max_branches,
              std::numeric_limits<double>::quiet_NaN());
  }
  return py::make_tuple(branches, counts);
}

Chain chainOf(const JointTree& joints, const std::vector<std::string>& names,
              const py::array& lower, const py::array& upper) {
  const Shape<1> each = {static_cast<py::ssize_t>(names.size())};
  const auto* lowest = readable<double>(lower, "lower", each);
  const auto* highest = readable<double>(upper, "upper", each);
  require(joints.isChain() && joints.numVariables() == each[0], "joints: not a chain of these");
  std::vector<Variable> variables;
  for (std::size_t i = 0; i < names.size(); ++i) {
    variables.push_back({names[i], lowest[i], highest[i]});
  }
  return {std::move(variables), joints.joints(), joints.firstTip()};
}

py::array arrayOf(const std::vector<double>& numbers) {
  return py::array_t<double>(static_cast<py::ssize_t>(numbers.size()), numbers.data());
}

py::object findForm(const JointTree& joints, const std::vector<std::string>& names,
                    const py::array& lower, const py::array& upper) {
  const std::optional<ArmForm> form = findClosedForm(chainOf(joints, names, lower, upper));
  if (!form) {
    return py::none();
  }
  return py::make_tuple(form->name, form->family, arrayOf(form->parameters), form->moved,
                        form->locked_joint);
}

std::string whyNone(const JointTree& joints, const std::vector<std::string>& names,
                    const py::array& lower, const py::array& upper) {
  return whyNoClosedForm(chainOf(joints, names, lower, upper));
}

}  // namespace

void bindClosedForms(py::module_& module) {
  py::class_<ClosedForm>(module, "ClosedForm")
      .def_readonly("name", &ClosedForm::name)
      .def_readonly("max_branches", &ClosedForm::max_branches)
      .def_property_readonly(
          "max_rows",
          [](const ClosedForm& form) { return form.max_branches + answers::kMostBeside; })
      .def("find", &find, py::arg("parameters"), py::arg("tip_poses"));
  module.def("find_closed_form", &findForm, py::arg("joints"), py::arg("names"), py::arg("lower"),
             py::arg("upper"));
  module.def("why_no_closed_form", &whyNone, py::arg("joints"), py::arg("names"), py::arg("lower"),
             py::arg("upper"));
}

}  // namespace generative_ik::bindings

// A function whose arguments cross the binding as those of the core do, for tests of the checks.
#include "arrays.hpp"

namespace py = pybind11;
using generative_ik::bindings::kAny;
using generative_ik::bindings::readable;
using generative_ik::bindings::writable;

namespace {

void weightedRows(const py::array& rows, const py::array& weights, py::array sums,
                  std::int64_t first) {
  const auto* in = readable<double, 2>(rows, "rows", {kAny, 3});
  const auto* weight = readable<double, 1>(weights, "weights", {3});
  auto* out = writable<double, 1>(sums, "sums", {rows.shape(0)});
  const py::ssize_t count = rows.shape(0);
  if (first < 0 || first > count) {
    throw py::value_error("first: expected 0 to " + std::to_string(count) + ", got " +
                          std::to_string(first));
  }
  const py::gil_scoped_release release;
  for (py::ssize_t i = first; i < count; ++i) {
    out[i] = in[3 * i] * weight[0] + in[3 * i + 1] * weight[1] + in[3 * i + 2] * weight[2];
  }
}

}  // namespace

PYBIND11_MODULE(array_checks, module) {
  module.def("weighted_rows", &weightedRows);
}

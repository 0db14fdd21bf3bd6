#include "decisions.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "arrays.hpp"
#include "gil.hpp"
#include "interrupts.hpp"
#include "module.hpp"
#include "pool.hpp"
#include "search/consistency.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;
using search::Decisions;

/// What Python says, on any thread.
template <class Ask>
auto asked(const Ask& ask) {
  // The thread that has called may be the one that ends it.
  if (!mayHandleSignals() && isFinalizing()) {
    throw std::runtime_error("the interpreter ends: no solution can be checked for collisions");
  }
  return withGil([&] {
    throwInterrupt();
    return ask();
  });
}

template <std::size_t kDimensions>
py::array copied(std::span<const double> numbers, Shape<kDimensions> shape) {
  py::array rows = newArray<double>(shape);
  std::copy(numbers.begin(), numbers.end(), static_cast<double*>(rows.mutable_data()));
  return rows;
}

// NOLINTNEXTLINE(readability-function-size): numbers are passed one by one
std::unique_ptr<Decisions> makeDecisions(std::int64_t wanted, std::int64_t looked_for,
                                         bool nearest, bool all,
                                         std::optional<std::pair<double, double>> exact,
                                         std::optional<int> least_error,
                                         const py::function& collides, const py::object& score) {
  auto made = std::make_unique<Decisions>();
  made->wanted = wanted;
  made->looked_for = looked_for;
  made->nearest = nearest;
  made->all = all;
  if (exact) {
    made->exact = Tolerance{exact->first, exact->second};
  }
  made->least_error = least_error;
  made->collides = collidesBy(collides);
  if (!score.is_none()) {
    made->score = [score](std::span<const double> rows, std::span<double> scores) {
      asked([&] {
        const py::ssize_t count = std::ssize(scores);
        const Shape<2> shape = {count, std::ssize(rows) / std::max<py::ssize_t>(count, 1)};
        const auto found = score(copied(rows, shape)).cast<py::array>();
        std::copy_n(readable<double>(found, "scores", Shape<1>{count}), count, scores.begin());
      });
    };
  }
  return made;
}

void decideIn(const Memory& memory, const py::array& box, const Decisions& decisions,
              double seconds) {
  const search::Room& room = memory.found.room();
  search::Run run{};
  run.last = room.targets;
  const search::SearchArrays arrays = memory.arrays(boxOf(box, room.size), run);
  if (const char* fault = search::faultOfTargets(arrays, {room.targets, room.targets, 0})) {
    refuse(fault);
  }
  interruptible(seconds, [&](const parallel::StopWhen& stop) {
    search::decide(decisions, arrays, 0, room.targets, stop);
  });
}

}  // namespace

search::Collides collidesBy(const py::object& collides) {
  if (collides.is_none()) {
    return {};
  }
  // Copied without the GIL.
  return [function = std::make_shared<const py::object>(collides)](std::span<const double> q) {
    return asked([&] { return (*function)(copied(q, Shape<1>{std::ssize(q)})).cast<bool>(); });
  };
}

search::Settle settleOf(const Decisions* decisions, const search::SearchArrays& arrays,
                        const parallel::StopWhen& stop) {
  if (decisions == nullptr) {
    return {};
  }
  return [decisions, &arrays, &stop](std::int64_t first, std::int64_t last) {
    return search::decide(*decisions, arrays, first, last, stop);
  };
}

void bindDecisions(py::module_& module) {
  py::class_<Decisions>(module, "Decisions",
                        "Exact collision checks of solutions that spheres cannot decide.")
      .def(py::init(&makeDecisions), py::arg("wanted"), py::arg("looked_for"), py::arg("nearest"),
           py::arg("all"), py::arg("exact"), py::arg("least_error"), py::arg("collides"),
           py::arg("score") = py::none());
  module.def("decide", &decideIn, py::arg("memory"), py::arg("box"), py::arg("decisions"),
             py::arg("seconds"), "Decide on solutions of all targets.");
}

}  // namespace generative_ik::bindings

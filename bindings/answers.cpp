// What closed forms answer at once.
#include "answers.hpp"

#include <algorithm>
#include <answers/batch.hpp>
#include <answers/branches.hpp>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>
#include <verify/pose_check.hpp>

#include "arrays.hpp"
#include "interrupts.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;
using answers::BranchProblem;
using answers::kJoints;
using answers::Note;
using answers::PoseGap;
using answers::Question;
using answers::Targets;

constexpr py::ssize_t kNotes = sizeof(Note) / sizeof(std::int64_t);

template <class Number>
void copyRow(const py::array& from, const char* name, Number* to) {
  std::copy_n(readable<Number>(from, name, Shape<1>{kJoints}), kJoints, to);
}

template <class Number>
std::vector<Number> numbersOf(const py::array& array, const char* name) {
  const auto* numbers = readable<Number>(array, name, Shape<1>{kAny});
  return {numbers, numbers + array.size()};
}

std::unique_ptr<BranchProblem> makeProblem(const ClosedForm& form, const py::array& parameters,
                                           const py::array& floats, const py::array& ints,
                                           const py::array& box, const py::array& circular,
                                           const py::array& lower, const py::array& upper,
                                           const py::array& periodic, const py::array& unit,
                                           double distance, double exact, double slack,
                                           bool certain) {
  answers::JointBounds bounds{};
  const auto* rows = readable<double>(box, "box", Shape<2>{kAny, kJoints});
  if (box.shape(0) < 5) {
    throw py::value_error("box: expected 5 rows or more");
  }
  std::copy_n(rows, kJoints, bounds.lower);
  std::copy_n(rows + kJoints, kJoints, bounds.upper);
  std::copy_n(rows + 2 * kJoints, kJoints, bounds.soft_lower);
  std::copy_n(rows + 3 * kJoints, kJoints, bounds.soft_upper);
  std::copy_n(rows + 4 * kJoints, kJoints, bounds.reference);
  copyRow(circular, "circular", bounds.circular);
  copyRow(lower, "lower", bounds.lower_limit);
  copyRow(upper, "upper", bounds.upper_limit);
  copyRow(periodic, "periodic", bounds.periodic);
  copyRow(unit, "unit", bounds.unit);
  // Tolerances are the chain's.
  const answers::Accuracy accuracy = {0.0, 0.0, exact, distance, slack, certain};
  return std::make_unique<BranchProblem>(form, numbersOf<double>(parameters, "parameters"),
                                         numbersOf<double>(floats, "floats"),
                                         numbersOf<std::int64_t>(ints, "ints"), bounds, accuracy);
}

/// A call's arrays, checked.
struct Call {
  Question question;
  Targets targets;
  std::int64_t count;
};

Call callOf(const BranchProblem& problem, const py::array& poses, const py::array& weights,
            bool nearest, const answers::CheckCall& check, py::array& notes, py::array& positions,
            py::array& errors) {
  const auto* tips = readable<double>(poses, "poses", Shape<3>{kAny, 4, 4});
  const py::ssize_t count = poses.shape(0);
  auto* rows = writable<double>(positions, "positions", Shape<3>{count, kAny, kJoints});
  const py::ssize_t wanted = positions.shape(1);
  const auto* weight = readable<double>(weights, "weights", Shape<1>{kJoints});
  // NOLINTBEGIN(*-reinterpret-cast): rows of so many numbers
  const Targets targets = {
      tips,
      reinterpret_cast<Note*>(writable<std::int64_t>(notes, "notes", Shape<2>{count, kNotes})),
      rows,
      reinterpret_cast<PoseGap*>(writable<double>(errors, "errors", Shape<3>{count, wanted, 2}))};
  // NOLINTEND(*-reinterpret-cast)
  return {{problem, weight, nearest, wanted, check}, targets, count};
}

void answerAll(const BranchProblem& problem, const py::array& poses, const py::array& weights,
               bool nearest, double seconds, py::array notes, py::array positions,
               py::array errors) {
  const Call call = callOf(problem, poses, weights, nearest, {}, notes, positions, errors);
  {
    const py::gil_scoped_release released;
    answers::answerAll(call.question, call.targets, call.count, stopAfter(seconds));
  }
  throwInterrupt();
}

void answerSome(const BranchProblem& problem, const py::array& poses, const py::array& weights,
                bool nearest, std::int64_t first, std::int64_t last,
                const answers::CheckCall& check, py::array notes, py::array positions,
                py::array errors) {
  const Call call = callOf(problem, poses, weights, nearest, check, notes, positions, errors);
  if (first < 0 || last > call.count) {
    throw py::value_error("first, last: not within 0 to " + std::to_string(call.count));
  }
  const py::gil_scoped_release released;
  answers::Answerer answerer(call.question);
  for (std::int64_t t = first; t < last; ++t) {
    answerer.answer(call.targets, t);
  }
}

py::object answerOne(const BranchProblem& problem, const py::array& pose, py::ssize_t wanted) {
  static constexpr double kOnes[kJoints] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
  constexpr py::ssize_t kMost = 1'000'000;
  const auto* tip = pose.ndim() == 2 ? readable<double>(pose, "pose", Shape<2>{4, 4})
                                     : readable<double>(pose, "pose", Shape<3>{1, 4, 4});
  if (wanted < 1 || wanted > kMost) {
    throw py::value_error("wanted: expected 1 to " + std::to_string(kMost) + ", got " +
                          std::to_string(wanted));
  }
  if (!verify::isPose(tip)) {
    return py::none();
  }
  py::array positions = newArray<double>(Shape<3>{1, wanted, kJoints});
  py::array errors = newArray<double>(Shape<3>{1, wanted, 2});
  py::array notes = newArray<std::int64_t>(Shape<2>{1, kNotes});
  const Targets targets = {tip, static_cast<Note*>(notes.mutable_data()),
                           static_cast<double*>(positions.mutable_data()),
                           static_cast<PoseGap*>(errors.mutable_data())};
  targets.notes[0] = {};
  {
    const py::gil_scoped_release released;
    answers::Answerer({problem, kOnes, false, wanted, {}}).answer(targets, 0);
  }
  const Note& note = targets.notes[0];
  if (note.state != static_cast<std::int64_t>(answers::State::kDone) || note.count == 0) {
    return py::none();
  }
  return py::make_tuple(std::move(notes), std::move(positions), std::move(errors));
}

void gather(const BranchProblem& problem, const py::array& poses, std::int64_t first,
            std::int64_t last, py::array rows, py::array notes) {
  const auto* tips = readable<double>(poses, "poses", Shape<3>{kAny, 4, 4});
  const py::ssize_t count = poses.shape(0);
  auto* out = writable<double>(rows, "rows", Shape<3>{count, problem.mostRows(), kJoints});
  auto* noted = writable<std::int64_t>(notes, "notes", Shape<2>{count, 2});
  if (first < 0 || last > count) {
    throw py::value_error("first, last: not within 0 to " + std::to_string(count));
  }
  const py::gil_scoped_release released;
  answers::BranchRows found{};
  for (std::int64_t t = first; t < last; ++t) {
    const auto [size, complete] = answers::gatherBranches(problem, tips + 16 * t, found);
    noted[2 * t] = size;
    noted[2 * t + 1] = complete ? 1 : 0;
    std::copy_n(found.q[0], kJoints * size, out + t * problem.mostRows() * kJoints);
  }
}

}  // namespace

void bindAnswers(py::module_& module) {
  py::class_<answers::CheckCall>(module, "CheckCall", "A compiled collision check.")
      .def(
          py::init([](std::int64_t function, std::int64_t context) {
            // NOLINTNEXTLINE(*-reinterpret-cast,performance-no-int-to-ptr): by its address
            return answers::CheckCall{reinterpret_cast<search::CollisionCheck>(function), context};
          }),
          py::arg("function"), py::arg("context"));
  py::class_<BranchProblem>(module, "BranchProblem", "A chain's closed form, to be asked.")
      .def(py::init(&makeProblem), py::arg("form"), py::arg("parameters"), py::arg("floats"),
           py::arg("ints"), py::arg("box"), py::arg("circular"), py::arg("lower"),
           py::arg("upper"), py::arg("periodic"), py::arg("unit"), py::arg("distance"),
           py::arg("exact"), py::arg("slack"), py::arg("certain"))
      .def("answer_all", &answerAll, py::arg("poses"), py::arg("weights"), py::arg("nearest"),
           py::arg("seconds"), py::arg("notes"), py::arg("positions"), py::arg("errors"))
      .def("answer_some", &answerSome, py::arg("poses"), py::arg("weights"), py::arg("nearest"),
           py::arg("first"), py::arg("last"), py::arg("check"), py::arg("notes"),
           py::arg("positions"), py::arg("errors"))
      .def("answer_one", &answerOne, py::arg("pose"), py::arg("wanted"))
      .def("gather", &gather, py::arg("poses"), py::arg("first"), py::arg("last"), py::arg("rows"),
           py::arg("notes"));
}

}  // namespace generative_ik::bindings

// What closed forms answer at once.
#include "answers.hpp"

#include <answers/batch.hpp>
#include <answers/curve_answer.hpp>
#include <answers/search_begin.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "answer_calls.hpp"
#include "arrays.hpp"
#include "collision.hpp"
#include "gil.hpp"
#include "interrupts.hpp"
#include "pool.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;
using answers::BranchProblem;
using answers::CurveProblem;
using answers::kCurveJoints;
using answers::kJoints;
using answers::Question;

std::unique_ptr<BranchProblem> makeProblem(const ClosedForm& form, const py::array& parameters,
                                           const py::array& floats, const py::array& ints,
                                           const py::array& box, const py::array& circular,
                                           const py::array& lower, const py::array& upper,
                                           const py::array& periodic, const py::array& unit,
                                           double distance) {
  return std::make_unique<BranchProblem>(
      form, numbersOf<double>(parameters, "parameters"), numbersOf<double>(floats, "floats"),
      numbersOf<std::int64_t>(ints, "ints"),
      boundsOf<kJoints>({box, circular, lower, upper, periodic, unit}), distance);
}

/// A call's arrays, checked.
struct Call {
  Question question;
  AnswerArrays arrays{};
};

Call callOf(const BranchProblem& problem, const py::array& poses, const py::array& weights,
            bool nearest, CollisionCheck check, py::array& notes, py::array& positions,
            py::array& errors) {
  const AnswerArrays arrays = answerArrays(poses, notes, positions, errors, kJoints);
  const auto* weight = readable<double>(weights, "weights", Shape<1>{kJoints});
  return {{problem, weight, nearest, arrays.targets.wanted, std::move(check)}, arrays};
}

void answerAll(const BranchProblem& problem, const py::array& poses, const py::array& weights,
               bool nearest, double seconds, py::array notes, py::array positions,
               py::array errors, const CollisionWorld* world) {
  const Call call =
      callOf(problem, poses, weights, nearest, checkOf(world, kJoints), notes, positions, errors);
  {
    const GilReleased released;
    answers::answerAll(call.question, call.arrays.targets, call.arrays.count, stopAfter(seconds));
  }
  throwInterrupt();
}

py::object answerOneByBranches(const BranchProblem& problem, const py::array& pose,
                               py::ssize_t wanted, bool always) {
  // NOLINTNEXTLINE(*-avoid-c-arrays)
  static constexpr double kOnes[kJoints] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
  return answerOne(pose, wanted, always, kJoints, [&](const answers::Targets& targets) {
    answers::Answerer answerer({problem, kOnes, false, wanted});
    answers::answerSome(answerer, targets, 0, 1);
  });
}

std::unique_ptr<CurveProblem> makeCurves(const ClosedForm& form, const py::array& parameters,
                                         const py::array& floats, const py::array& ints,
                                         const py::array& box, const py::array& circular,
                                         const py::array& lower, const py::array& upper,
                                         const py::array& periodic, const py::array& unit,
                                         double distance) {
  return std::make_unique<CurveProblem>(
      form, numbersOf<double>(parameters, "parameters"), numbersOf<double>(floats, "floats"),
      numbersOf<std::int64_t>(ints, "ints"),
      boundsOf<kCurveJoints>({box, circular, lower, upper, periodic, unit}), distance);
}

void answerAllOnCurves(const CurveProblem& problem, const py::array& poses, double seconds,
                       py::array notes, py::array positions, py::array errors) {
  const AnswerArrays arrays = answerArrays(poses, notes, positions, errors, kCurveJoints);
  {
    const GilReleased released;
    answers::answerAll(problem, arrays.targets, arrays.count, stopAfter(seconds));
  }
  throwInterrupt();
}

py::object answerOneOnCurves(const CurveProblem& problem, const py::array& pose,
                             py::ssize_t wanted, bool always) {
  return answerOne(pose, wanted, always, kCurveJoints, [&](const answers::Targets& targets) {
    answers::CurveAnswerer answerer(problem, answers::curveMemory());
    answers::answerSome(answerer, targets, 0, 1);
  });
}

/// Targets of a search, those of its run.
answers::SearchTargets targetsOf(const py::array& poses, const py::array& box,
                                 const PoolArguments& pool, py::array& targets, py::array& run,
                                 py::ssize_t size) {
  const auto* tips = readable<double>(poses, "poses", Shape<3>{kAny, 4, 4});
  const auto arrays = beginArrays(box, pool, targets, run, poses.shape(0), size);
  return {tips, arrays, arrays.run->first, arrays.run->last};
}

void beginWithBranches(const BranchProblem& problem, const py::array& poses, const py::array& box,
                       const py::array& grid_floats, const py::array& grid_ints,
                       py::array positions, py::array errors, py::array visits, py::array counts,
                       py::array heads, py::array before, py::array targets, py::array run,
                       std::int64_t enough, const CollisionWorld* world, double seconds) {
  answers::SearchTargets some = targetsOf(
      poses, box, {grid_floats, grid_ints, positions, errors, visits, counts, heads, before},
      targets, run, kJoints);
  const CollisionCheck check = checkOf(world, kJoints);
  some.arrays.check = &check;
  {
    const GilReleased released;
    answers::beginWithBranches(problem, some, enough, stopAfter(seconds));
  }
  throwInterrupt();
}

void beginWithCurves(const CurveProblem& problem, const py::array& poses, const py::array& box,
                     const py::array& grid_floats, const py::array& grid_ints, py::array positions,
                     py::array errors, py::array visits, py::array counts, py::array heads,
                     py::array before, py::array targets, py::array run, std::int64_t solutions,
                     std::int64_t enough, bool keep_all, const CollisionWorld* world,
                     double seconds) {
  constexpr std::int64_t kMost = 1'000'000'000;
  require(!problem.inRegion(), "problem: the curves of a region, not of poses");
  require(solutions > 0 && solutions <= kMost, "solutions: none or too many are wanted");
  answers::SearchTargets some = targetsOf(
      poses, box, {grid_floats, grid_ints, positions, errors, visits, counts, heads, before},
      targets, run, kCurveJoints);
  const CollisionCheck check = checkOf(world, kCurveJoints);
  some.arrays.check = &check;
  {
    const GilReleased released;
    answers::beginWithCurves(problem, some, {solutions, enough, keep_all}, stopAfter(seconds));
  }
  throwInterrupt();
}

}  // namespace

void bindAnswers(py::module_& module) {
  py::class_<BranchProblem>(module, "BranchProblem", "A chain's closed form, to be asked.")
      .def(py::init(&makeProblem), py::arg("form"), py::arg("parameters"), py::arg("floats"),
           py::arg("ints"), py::arg("box"), py::arg("circular"), py::arg("lower"),
           py::arg("upper"), py::arg("periodic"), py::arg("unit"), py::arg("distance"))
      .def("answer_all", &answerAll, py::arg("poses"), py::arg("weights"), py::arg("nearest"),
           py::arg("seconds"), py::arg("notes"), py::arg("positions"), py::arg("errors"),
           py::arg("world").none(true) = py::none())
      .def("answer_one", &answerOneByBranches, py::arg("pose"), py::arg("wanted"),
           py::arg("always") = false)
      .def("begin_search", &beginWithBranches, py::arg("poses"), py::arg("box"),
           py::arg("grid_floats"), py::arg("grid_ints"), py::arg("positions"), py::arg("errors"),
           py::arg("visits"), py::arg("counts"), py::arg("heads"), py::arg("before"),
           py::arg("targets"), py::arg("run"), py::arg("enough"), py::arg("world").none(true),
           py::arg("seconds"));
  py::class_<CurveProblem>(module, "CurveProblem", "A chain with a locked joint, to be asked.")
      .def(py::init(&makeCurves), py::arg("form"), py::arg("parameters"), py::arg("floats"),
           py::arg("ints"), py::arg("box"), py::arg("circular"), py::arg("lower"),
           py::arg("upper"), py::arg("periodic"), py::arg("unit"), py::arg("distance"))
      .def("answer_all", &answerAllOnCurves, py::arg("poses"), py::arg("seconds"),
           py::arg("notes"), py::arg("positions"), py::arg("errors"))
      .def("answer_one", &answerOneOnCurves, py::arg("pose"), py::arg("wanted"),
           py::arg("always") = false)
      .def("begin_search", &beginWithCurves, py::arg("poses"), py::arg("box"),
           py::arg("grid_floats"), py::arg("grid_ints"), py::arg("positions"), py::arg("errors"),
           py::arg("visits"), py::arg("counts"), py::arg("heads"), py::arg("before"),
           py::arg("targets"), py::arg("run"), py::arg("solutions"), py::arg("enough"),
           py::arg("keep_all"), py::arg("world").none(true), py::arg("seconds"))
      .def_property_readonly_static("MANY",
                                    [](const py::object&) { return answers::kManyOnCurves; })
      .def_property_readonly_static("EACH_COUNTS",
                                    [](const py::object&) { return answers::kEachCounts; });
}

}  // namespace generative_ik::bindings

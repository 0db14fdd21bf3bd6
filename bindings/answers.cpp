// What closed forms answer at once.
#include "answers.hpp"

#include <pybind11/stl.h>

#include <answers/batch.hpp>
#include <answers/curve_answer.hpp>
#include <answers/near_problem.hpp>
#include <answers/nearest.hpp>
#include <answers/search_begin.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "answer_calls.hpp"
#include "arrays.hpp"
#include "collision.hpp"
#include "gil.hpp"
#include "interrupts.hpp"
#include "near.hpp"
#include "pool.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;
using answers::BranchProblem;
using answers::CurveProblem;
using answers::kCurveJoints;
using answers::kJoints;
using answers::NearProblem;
using answers::Question;

/// A seed state (kSize); null where it is outside the limits, or no array of so many numbers.
template <int kSize>
const double* seedWithin(const answers::BoundsOf<kSize>& bounds, const py::object& seed_state) {
  const auto* seed = readableIf<double>(seed_state, Shape<1>{kSize});
  return seed != nullptr && bounds.contains(seed, kSize) ? seed : nullptr;
}

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
               py::array errors, const CollisionWorld* world,
               const std::optional<py::array>& seed_states) {
  const Call call =
      callOf(problem, poses, weights, nearest, checkOf(world, kJoints), notes, positions, errors);
  const auto& [targets, count] = call.arrays;
  const double* seeds =
      seed_states ? readable<double>(*seed_states, "seed_states", Shape<2>{count, kJoints})
                  : nullptr;
  {
    const GilReleased released;
    if (seeds != nullptr) {
      answers::answerAllAbout(call.question, seeds, targets, count, stopAfter(seconds));
    } else {
      answers::answerAll(call.question, targets, count, stopAfter(seconds));
    }
  }
  throwInterrupt();
}

// What the calls for the solution nearest to a seed state are given is what a caller has: None is
// returned for whatever is no array of a pose, of a configuration inside the limits, of weights,
// or of consistency limits.

py::object answerNearestBranch(const BranchProblem& problem, const py::object& pose,
                               const py::object& seed_state, const py::object& weights,
                               const py::object& limits) {
  const auto* tip = tipIf(pose);
  const auto* seed = seedWithin(problem.bounds, seed_state);
  const JointWeights counts(weights, kJoints);
  const ConsistencyLimits near(limits, kJoints);
  if (tip == nullptr || seed == nullptr || counts.numbers() == nullptr) {
    return py::none();
  }
  return answerOne(tip, 1, false, kJoints, [&](const answers::Targets& targets) {
    answers::answerAbout({problem, counts.numbers(), true, 1}, seed, targets, 0, 1);
    near.keepWithin(seed, targets);
  });
}

py::object answerOneByBranches(const BranchProblem& problem, const py::array& pose,
                               py::ssize_t wanted, bool always, const CollisionWorld* world) {
  checkWanted(wanted);
  const JointWeights counts(py::none(), kJoints);
  const CollisionCheck check = checkOf(world, kJoints);
  return answerOne(tipOf(pose), wanted, always, kJoints, [&](const answers::Targets& targets) {
    answers::Answerer answerer({problem, counts.numbers(), false, wanted, check});
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
  checkWanted(wanted);
  return answerOne(tipOf(pose), wanted, always, kCurveJoints,
                   [&](const answers::Targets& targets) {
                     answers::CurveAnswerer answerer(problem, answers::curveMemory());
                     answers::answerSome(answerer, targets, 0, 1);
                   });
}

void requirePoses(const CurveProblem& problem) {
  require(!problem.inRegion(), "problem: the curves of a region, not of poses");
}

py::object answerOneNearest(const CurveProblem& problem, const py::object& pose,
                            const py::object& seed_state, const py::object& weights,
                            const py::object& limits) {
  requirePoses(problem);
  const auto* tip = tipIf(pose);
  const auto* seed = seedWithin(problem.bounds, seed_state);
  const JointWeights counts(weights, kCurveJoints);
  const ConsistencyLimits near(limits, kCurveJoints);
  if (tip == nullptr || seed == nullptr || counts.numbers() == nullptr) {
    return py::none();
  }
  return answerOne(tip, 1, false, kCurveJoints, [&](const answers::Targets& targets) {
    answers::answerNearest({problem, counts.numbers()}, targets, seed, 0, 1,
                           answers::nearestMemory());
    near.keepWithin(seed, targets);
  });
}

void answerAllNearest(const CurveProblem& problem, const py::array& poses,
                      const py::array& seed_states, const py::array& weights, double seconds,
                      py::array notes, py::array positions, py::array errors) {
  requirePoses(problem);
  const AnswerArrays arrays = nearestArrays(poses, notes, positions, errors, kCurveJoints);
  const auto* seeds =
      readable<double>(seed_states, "seed_states", Shape<2>{arrays.count, kCurveJoints});
  const auto* weight = readable<double>(weights, "weights", Shape<1>{kCurveJoints});
  {
    const GilReleased released;
    answers::answerAllNearest({problem, weight}, arrays.targets, seeds, arrays.count,
                              stopAfter(seconds));
  }
  throwInterrupt();
}

std::unique_ptr<NearProblem> makeNear(const py::array& floats, const py::array& ints,
                                      const py::array& box, const py::array& unit) {
  return std::make_unique<NearProblem>(numbersOf<double>(floats, "floats"),
                                       numbersOf<std::int64_t>(ints, "ints"), boxOf(box),
                                       numbersOf<double>(unit, "unit"));
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
  requirePoses(problem);
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
           py::arg("world").none(true) = py::none(), py::arg("seed_states") = py::none())
      .def("answer_nearest", &answerNearestBranch, py::arg("pose"), py::arg("seed_state"),
           py::arg("weights") = py::none(), py::arg("limits") = py::none())
      .def("answer_one", &answerOneByBranches, py::arg("pose"), py::arg("wanted"),
           py::arg("always") = false, py::arg("world").none(true) = py::none())
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
      .def("answer_nearest", &answerOneNearest, py::arg("pose"), py::arg("seed_state"),
           py::arg("weights") = py::none(), py::arg("limits") = py::none())
      .def("answer_all_nearest", &answerAllNearest, py::arg("poses"), py::arg("seed_states"),
           py::arg("weights"), py::arg("seconds"), py::arg("notes"), py::arg("positions"),
           py::arg("errors"))
      .def("begin_search", &beginWithCurves, py::arg("poses"), py::arg("box"),
           py::arg("grid_floats"), py::arg("grid_ints"), py::arg("positions"), py::arg("errors"),
           py::arg("visits"), py::arg("counts"), py::arg("heads"), py::arg("before"),
           py::arg("targets"), py::arg("run"), py::arg("solutions"), py::arg("enough"),
           py::arg("keep_all"), py::arg("world").none(true), py::arg("seconds"))
      .def_property_readonly_static("MANY",
                                    [](const py::object&) { return answers::kManyOnCurves; })
      .def_property_readonly_static("EACH_COUNTS",
                                    [](const py::object&) { return answers::kEachCounts; });
  py::class_<NearProblem> near(module, "NearProblem",
                               "A chain without a closed form, to be asked.");
  near.def(py::init(&makeNear), py::arg("floats"), py::arg("ints"), py::arg("box"),
           py::arg("unit"));
  defineNear(near);
}

}  // namespace generative_ik::bindings

// What closed forms answer at once.
#include <pybind11/stl.h>

#include <answers/batch.hpp>
#include <answers/curve_answer.hpp>
#include <answers/near_problem.hpp>
#include <answers/nearest.hpp>
#include <answers/search_begin.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <search/consistency.hpp>
#include <string>
#include <utility>
#include <vector>

#include "answer_calls.hpp"
#include "arrays.hpp"
#include "collision.hpp"
#include "interrupts.hpp"
#include "module.hpp"
#include "near.hpp"
#include "one_pose.hpp"
#include "pool.hpp"
#include "problem.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;
using answers::BranchProblem;
using answers::CurveProblem;
using answers::kCurveJoints;
using answers::kJoints;
using answers::NearProblem;
using answers::Question;

/// What calls for one pose ask of a closed form, see one_pose.hpp.
struct AskedOfBranches : AskedOfOneTip<BranchProblem> {
  static bool knowsNearestOnes(const BranchProblem& /*problem*/) { return true; }
  static py::ssize_t size(const BranchProblem& /*problem*/) { return kJoints; }
  static bool takes(const BranchProblem& problem, const double* seed) {
    return problem.bounds.contains(seed, kJoints);
  }
  static void answer(const BranchProblem& problem, const OneCall& call,
                     const answers::Targets& target) {
    const JointWeights weights(py::none(), kJoints);
    call.ask(target, kJoints, [&](const CollisionCheck& check) {
      answers::Answerer answerer({problem, weights.numbers(), false, call.wanted, check});
      answers::answerSome(answerer, target, 0, 1);
    });
  }
  static void answerNearest(const BranchProblem& problem, const double* weights,
                            const double* seed, const answers::Targets& target) {
    answers::answerAbout({problem, weights, true, target.wanted}, seed, target, 0, 1);
  }
};

/// And of one with a locked joint.
struct AskedOfCurves : AskedOfOneTip<CurveProblem> {
  static py::ssize_t size(const CurveProblem& /*problem*/) { return kCurveJoints; }
  static bool takes(const CurveProblem& problem, const double* seed) {
    return !problem.inRegion() && problem.bounds.contains(seed, kCurveJoints);
  }
  static void answer(const CurveProblem& problem, const OneCall& call,
                     const answers::Targets& target) {
    require(!call.check || !problem.inRegion(), "world: none is asked about curves in a region");
    answers::CurveAnswerer answerer(problem, answers::curveMemory(), call.check, call.collides);
    answers::answerSome(answerer, target, 0, 1);
  }
  static void answerNearest(const CurveProblem& problem, const double* weights, const double* seed,
                            const answers::Targets& target) {
    answers::answerNearest({problem, weights}, target, seed, 0, 1, answers::nearestMemory());
  }
};

template <class Problem, int kSize>
std::unique_ptr<Problem> makeProblem(const ClosedForm& form, const py::array& parameters,
                                     const py::tuple& problem, const py::array& box,
                                     const py::array& circular, const py::tuple& joints,
                                     double distance) {
  const Packed packed = packedOf(problem);
  return std::make_unique<Problem>(form, numbersOf<double>(parameters, "parameters"),
                                   floatsOf(packed), intsOf(packed),
                                   boundsOf<kSize>(box, circular, joints), distance);
}

template <class Problem, int kSize>
void defineMaking(py::class_<Problem>& problem) {
  problem.def(py::init(&makeProblem<Problem, kSize>), py::arg("form"), py::arg("parameters"),
              py::arg("problem"), py::arg("box"), py::arg("circular"), py::arg("joints"),
              py::arg("distance"));
}

void answerAll(const BranchProblem& problem, const py::array& poses, const py::array& weights,
               bool nearest, double seconds, const py::tuple& answers, const CollisionWorld* world,
               const std::optional<py::array>& seed_states) {
  const AnswerArrays arrays = answerArrays(poses, answers, kJoints);
  const auto* weight = readable<double>(weights, "weights", Shape<1>{kJoints});
  const Question question = {problem, weight, nearest, arrays.targets.wanted,
                             checkOf(world, kJoints)};
  const double* seeds =
      seed_states ? readable<double>(*seed_states, "seed_states", Shape<2>{arrays.count, kJoints})
                  : nullptr;
  interruptible(seconds, [&](const parallel::StopWhen& stop) {
    if (seeds != nullptr) {
      answers::answerAllAbout(question, seeds, arrays.targets, arrays.count, stop);
    } else {
      answers::answerAll(question, arrays.targets, arrays.count, stop);
    }
  });
}

void answerAllOnCurves(const CurveProblem& problem, const py::array& poses, double seconds,
                       const py::tuple& answers, const CollisionWorld* world) {
  const AnswerArrays arrays = answerArrays(poses, answers, kCurveJoints);
  const CollisionCheck check = checkOf(world, kCurveJoints);
  interruptible(seconds, [&](const parallel::StopWhen& stop) {
    answers::answerAll(problem, check, arrays.targets, arrays.count, stop);
  });
}

void requirePoses(const CurveProblem& problem) {
  require(!problem.inRegion(), "problem: the curves of a region, not of poses");
}

void answerAllNearest(const CurveProblem& problem, const py::array& poses,
                      const py::array& seed_states, const py::array& weights, double seconds,
                      const py::tuple& answers) {
  requirePoses(problem);
  const AnswerArrays arrays = nearestArrays(poses, answers, kCurveJoints);
  const auto* seeds =
      readable<double>(seed_states, "seed_states", Shape<2>{arrays.count, kCurveJoints});
  const auto* weight = readable<double>(weights, "weights", Shape<1>{kCurveJoints});
  interruptible(seconds, [&](const parallel::StopWhen& stop) {
    answers::answerAllNearest({problem, weight}, arrays.targets, seeds, arrays.count, stop);
  });
}

std::unique_ptr<NearProblem> makeNear(const py::tuple& problem, const py::array& box,
                                      const py::array& unit) {
  const Packed packed = packedOf(problem);
  return std::make_unique<NearProblem>(floatsOf(packed), intsOf(packed), boxOf(box),
                                       numbersOf<double>(unit, "unit"));
}

/// Targets of a search, those of its run.
answers::SearchTargets targetsOf(const py::array& poses, const py::array& box,
                                 const Memory& memory, search::Run& run, py::ssize_t size) {
  const auto* tips = readable<double>(poses, "poses", Shape<3>{kAny, 4, 4});
  require(memory.found.room().size == size, "memory: not of so many joints");
  require(run.alternatives == 0, "run: expected one without alternatives");
  const search::SearchArrays arrays = memory.arrays(boxOf(box, size), run);
  if (const char* fault =
          search::faultOfTargets(arrays, {memory.found.room().targets, poses.shape(0), 0})) {
    refuse(fault);
  }
  return {tips, arrays, run.first, run.last};
}

void beginWithBranches(const BranchProblem& problem, const py::array& poses, const py::array& box,
                       const Memory& memory, search::Run run, std::int64_t enough,
                       const CollisionWorld* world, double seconds) {
  answers::SearchTargets some = targetsOf(poses, box, memory, run, kJoints);
  const CollisionCheck check = checkOf(world, kJoints);
  some.arrays.check = &check;
  interruptible(seconds, [&](const parallel::StopWhen& stop) {
    answers::beginWithBranches(problem, some, enough, stop);
  });
}

void beginWithCurves(const CurveProblem& problem, const py::array& poses, const py::array& box,
                     const Memory& memory, search::Run run, std::int64_t solutions,
                     std::int64_t enough, bool keep_all, const CollisionWorld* world,
                     double seconds) {
  constexpr std::int64_t kMost = 1'000'000'000;
  requirePoses(problem);
  require(solutions > 0 && solutions <= kMost, "solutions: none or too many are wanted");
  answers::SearchTargets some = targetsOf(poses, box, memory, run, kCurveJoints);
  const CollisionCheck check = checkOf(world, kCurveJoints);
  some.arrays.check = &check;
  interruptible(seconds, [&](const parallel::StopWhen& stop) {
    answers::beginWithCurves(problem, some, {solutions, enough, keep_all}, stop);
  });
}

}  // namespace

void bindAnswers(py::module_& module) {
  py::class_<BranchProblem> branches(module, "BranchProblem");
  defineMaking<BranchProblem, kJoints>(branches);
  branches
      .def("answer_all", &answerAll, py::arg("poses"), py::arg("weights"), py::arg("nearest"),
           py::arg("seconds"), py::arg("answers"), py::arg("world").none(true) = py::none(),
           py::arg("seed_states") = py::none())
      .def("answer_one", &answerOneTarget<AskedOfBranches>, py::arg("pose"), py::arg("wanted"),
           py::arg("random_seed") = 0)
      .def("begin_search", &beginWithBranches, py::arg("poses"), py::arg("box"), py::arg("memory"),
           py::arg("run"), py::arg("enough"), py::arg("world").none(true), py::arg("seconds"));
  addMethod(branches, "solve_nearest", &solveNearest<AskedOfBranches>);
  addMethod(branches, "solve_one", &solveOneTarget<AskedOfBranches>);
  py::class_<CurveProblem> curves(module, "CurveProblem");
  defineMaking<CurveProblem, kCurveJoints>(curves);
  curves
      .def("answer_all", &answerAllOnCurves, py::arg("poses"), py::arg("seconds"),
           py::arg("answers"), py::arg("world").none(true) = py::none())
      .def("answer_one", &answerOneTarget<AskedOfCurves>, py::arg("pose"), py::arg("wanted"),
           py::arg("random_seed") = 0)
      .def("answer_all_nearest", &answerAllNearest, py::arg("poses"), py::arg("seed_states"),
           py::arg("weights"), py::arg("seconds"), py::arg("answers"))
      .def("begin_search", &beginWithCurves, py::arg("poses"), py::arg("box"), py::arg("memory"),
           py::arg("run"), py::arg("solutions"), py::arg("enough"), py::arg("keep_all"),
           py::arg("world").none(true), py::arg("seconds"))
      .def_property_readonly_static("MANY",
                                    [](const py::object&) { return answers::kManyOnCurves; })
      .def_property_readonly_static("EACH_COUNTS",
                                    [](const py::object&) { return answers::kEachCounts; });
  addMethod(curves, "solve_nearest", &solveNearest<AskedOfCurves>);
  addMethod(curves, "solve_one", &solveOneTarget<AskedOfCurves>);
  py::class_<NearProblem> steps(module, "NearProblem");
  steps.def(py::init(&makeNear), py::arg("problem"), py::arg("box"), py::arg("unit"));
  defineNear(steps);
}

}  // namespace generative_ik::bindings

// What limbs that share no joint answer together.
#include <pybind11/stl.h>

#include <cstdint>
#include <limbs/answer_limbs.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "answer_calls.hpp"
#include "arrays.hpp"
#include "collision.hpp"
#include "interrupts.hpp"
#include "module.hpp"
#include "one_pose.hpp"
#include "pool.hpp"
#include "problem.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;
using answers::BranchProblem;
using answers::CurveProblem;
using limbs::Limb;
using limbs::LimbsProblem;
using limbs::LimbsQuestion;
using regions::SurfaceProblem;

/// A limb from (problem, variables).
Limb limbOf(const py::tuple& parts) {
  if (parts.size() != 2) {
    throw py::value_error("limbs: expected tuples of two");
  }
  const auto variables = numbersOf<std::int64_t>(parts[1].cast<py::array>(), "variables");
  if (py::isinstance<BranchProblem>(parts[0])) {
    return {parts[0].cast<const BranchProblem&>(), variables};
  }
  const auto& curves = parts[0].cast<const CurveProblem&>();
  return {limbs::SevenJoints{curves, SurfaceProblem(curves)}, variables};
}

std::unique_ptr<LimbsProblem> makeLimbsProblem(const std::vector<py::tuple>& parts,
                                               const py::tuple& problem, const py::array& box,
                                               const py::array& circular,
                                               const py::tuple& joints) {
  std::vector<Limb> all;
  all.reserve(parts.size());
  for (const py::tuple& limb : parts) {
    all.push_back(limbOf(limb));
  }
  const py::ssize_t size = circular.size();
  require(size > 0 && size <= limbs::kMostVariables, "circular: expected 1 to 64 variables");
  const Packed packed = packedOf(problem);
  return std::make_unique<LimbsProblem>(
      std::move(all), floatsOf(packed), intsOf(packed),
      boundsOf<limbs::kMostVariables>(box, circular, joints, size), size);
}

py::ssize_t tipsOf(const LimbsProblem& problem) {
  return static_cast<py::ssize_t>(problem.limbs.size());
}

void answerAllLimbs(const LimbsProblem& problem, const py::array& poses, const py::array& weights,
                    bool nearest, double seconds, const py::tuple& answers,
                    const CollisionWorld* world, const std::optional<py::array>& seed_states,
                    bool begins, std::uint64_t random_seed) {
  const AnswerArrays arrays = answerArrays(poses, answers, problem.size, tipsOf(problem));
  const auto* weight = readable<double>(weights, "weights", Shape<1>{problem.size});
  const double* seeds = seed_states ? readable<double>(*seed_states, "seed_states",
                                                       Shape<2>{arrays.count, problem.size})
                                    : nullptr;
  require(!nearest || seeds != nullptr, "seed_states: needed for the nearest solutions");
  const LimbsQuestion question = {
      problem, weight,     nearest, arrays.targets.wanted, checkOf(world, problem.size),
      begins,  random_seed};
  interruptible(seconds, [&](const parallel::StopWhen& stop) {
    limbs::answerAll(question, seeds, arrays.targets, arrays.count, stop);
  });
}

/// What calls for one target ask of limbs, see one_pose.hpp.
struct AskedOfLimbs {
  using Problem = LimbsProblem;
  static py::ssize_t size(const LimbsProblem& problem) { return problem.size; }
  static py::ssize_t tips(const LimbsProblem& problem) { return tipsOf(problem); }
  static py::ssize_t few(const LimbsProblem& /*problem*/) { return 1; }
  static bool knowsNearestOnes(const LimbsProblem& problem) { return problem.hasBranches(); }
  /// (G, 4, 4) or (1, G, 4, 4).
  static const double* pose(const LimbsProblem& problem, py::handle poses) {
    const auto* tips = readableIf<double>(poses, Shape<3>{tipsOf(problem), 4, 4});
    return tips != nullptr ? tips : readableIf<double>(poses, Shape<4>{1, tipsOf(problem), 4, 4});
  }
  static bool takes(const LimbsProblem& problem, const double* seed) {
    return problem.bounds.contains(seed, problem.size, problem.size);
  }
  static void answer(const LimbsProblem& problem, const OneCall& call,
                     const answers::Targets& target) {
    const JointWeights weights(py::none(), problem.size);
    call.ask(target, problem.size, [&](const CollisionCheck& check) {
      limbs::answerSome(
          {problem, weights.numbers(), false, call.wanted, check, false, call.random_seed},
          nullptr, target, 0, 1);
    });
  }
  static void answerNearest(const LimbsProblem& problem, const double* weights, const double* seed,
                            const answers::Targets& target) {
    limbs::answerSome({problem, weights, true, target.wanted}, seed, target, 0, 1);
  }
};

}  // namespace

void bindLimbs(py::module_& module) {
  py::class_<LimbsProblem> problems(module, "LimbsProblem");
  problems
      .def(py::init(&makeLimbsProblem), py::arg("limbs"), py::arg("problem"), py::arg("box"),
           py::arg("circular"), py::arg("joints"))
      .def("answer_all", &answerAllLimbs, py::arg("poses"), py::arg("weights"), py::arg("nearest"),
           py::arg("seconds"), py::arg("answers"), py::arg("world").none(true) = py::none(),
           py::arg("seed_states") = py::none(), py::arg("begins") = false,
           py::arg("random_seed") = 0)
      .def("answer_one", &answerOneTarget<AskedOfLimbs>, py::arg("poses"), py::arg("wanted"),
           py::arg("random_seed") = 0);
  addMethod(problems, "solve_nearest", &solveNearest<AskedOfLimbs>);
  addMethod(problems, "solve_one", &solveOneTarget<AskedOfLimbs>);
}

}  // namespace generative_ik::bindings

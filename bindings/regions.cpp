// What closed forms answer all over regions.
#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <regions/near_region.hpp>
#include <regions/surface_answers.hpp>
#include <solver/region_forms.hpp>

#include "answer_calls.hpp"
#include "arrays.hpp"
#include "gil.hpp"
#include "interrupts.hpp"
#include "module.hpp"
#include "near.hpp"
#include "one_pose.hpp"
#include "problem.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;
using answers::BranchProblem;
using answers::CurveProblem;
using regions::FreeCoordinate;
using regions::NearRegion;
using regions::PoseSequence;
using regions::SurfaceProblem;

std::optional<FreeCoordinate> freeCoordinateOf(const TaskSpaceRegion& region, double position,
                                               double orientation) {
  return FreeCoordinate::of(region, {position, orientation});
}

std::optional<PoseSequence> sequenceOf(const TaskSpaceRegion& region, double position,
                                       double orientation, double reach, bool own) {
  return regions::sequenceOf(region, {position, orientation}, reach, own);
}

void answerAllInRegion(const SurfaceProblem& problem, const py::array& poses, double seconds,
                       const py::tuple& answers, std::uint64_t random_seed) {
  const AnswerArrays arrays = answerArrays(poses, answers, problem.numJoints());
  interruptible(seconds, [&](const parallel::StopWhen& stop) {
    regions::answerAll(problem, arrays.targets, arrays.count, stop, random_seed);
  });
}

/// What calls for one pose ask of a chain and a region, see one_pose.hpp.
struct AskedInRegion : AskedOfOneTip<SurfaceProblem> {
  static py::ssize_t size(const SurfaceProblem& problem) { return problem.numJoints(); }
  static void answer(const SurfaceProblem& problem, const OneCall& call,
                     const answers::Targets& target) {
    require(!call.check, "world: none is asked about regions");
    regions::SurfaceAnswerer answerer(problem, call.wanted, call.random_seed);
    answers::answerSome(answerer, target, 0, 1);
  }
};

std::unique_ptr<NearRegion> makeNear(const py::tuple& problem, const py::array& box,
                                     const py::array& unit, const TaskSpaceRegion& region) {
  const Packed packed = packedOf(problem);
  return std::make_unique<NearRegion>(floatsOf(packed), intsOf(packed), boxOf(box),
                                      numbersOf<double>(unit, "unit"), region);
}

void comeNearer(const NearRegion& problem, const py::array& poses, const py::array& seed_state,
                const py::array& weights, double distance, double seconds,
                const py::tuple& answers, const py::object& keep) {
  const AnswerArrays arrays = answerArrays(poses, answers, problem.size());
  const Shape<1> each = {problem.size()};
  regions::NearerQuestion question = {readable<double>(weights, "weights", each),
                                      readable<double>(seed_state, "seed_state", each),
                                      distance,
                                      {}};
  if (!keep.is_none()) {
    question.keep = [&](const double* nearer, bool* counts) {
      withGil([&] {
        throwInterrupt();
        const py::capsule ours(nearer, [](void* /*numbers*/) {});
        keep(py::array_t<double>({arrays.count, problem.size()}, nearer, ours),
             py::array_t<bool>(arrays.count, counts, ours));
      });
    };
  }
  interruptible(seconds, [&](const parallel::StopWhen& stop) {
    problem.comeNearer(question, arrays.targets, arrays.count, stop);
  });
}

}  // namespace

void bindRegions(py::module_& module) {
  py::class_<FreeCoordinate>(module, "FreeCoordinate")
      .def_static("of", &freeCoordinateOf, py::arg("region"), py::arg("position_tolerance"),
                  py::arg("orientation_tolerance"));
  module.def("curves_about", &curvesAbout, py::arg("problem"), py::arg("coordinate"));
  py::class_<PoseSequence>(module, "PoseSequence")
      .def_static("of", &sequenceOf, py::arg("region"), py::arg("position_tolerance"),
                  py::arg("orientation_tolerance"), py::arg("reach"), py::arg("own"));
  module.def("most_wanted_of", &mostWantedOf, py::arg("form"), py::arg("region"));
  py::class_<SurfaceProblem> surfaces(module, "SurfaceProblem");
  surfaces
      .def(py::init<const BranchProblem&, const PoseSequence&>(), py::arg("problem"),
           py::arg("region"))
      .def(py::init<const CurveProblem&, const PoseSequence&>(), py::arg("problem"),
           py::arg("region") = PoseSequence::ofPose())
      .def("answer_all", &answerAllInRegion, py::arg("poses"), py::arg("seconds"),
           py::arg("answers"), py::arg("random_seed") = 0)
      .def("answer_one", &answerOneTarget<AskedInRegion>, py::arg("pose"), py::arg("wanted"),
           py::arg("random_seed") = 0);
  addMethod(surfaces, "solve_one", &solveOneTarget<AskedInRegion>);
  py::class_<NearRegion> near(module, "NearRegion");
  near.def(py::init(&makeNear), py::arg("problem"), py::arg("box"), py::arg("unit"),
           py::arg("region"))
      .def("come_nearer", &comeNearer, py::arg("poses"), py::arg("seed_state"), py::arg("weights"),
           py::arg("distance"), py::arg("seconds"), py::arg("answers"), py::arg("keep"));
  defineNear(near);
}

}  // namespace generative_ik::bindings

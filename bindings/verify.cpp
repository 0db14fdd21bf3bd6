// Independent verification of chains.
#include <cstdint>
#include <string>
#include <verify/goal_verifier.hpp>
#include <verify/placer.hpp>
#include <verify/pose_check.hpp>
#include <verify/verifier.hpp>

#include "arrays.hpp"
#include "gil.hpp"
#include "interrupts.hpp"
#include "joint_tree.hpp"
#include "module.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;

void poseErrors(const JointTree& joints, const py::array& positions, const py::array& targets,
                const py::array& target_of_row, py::array gaps) {
  const auto* rows = readable<double>(positions, "positions", Shape<2>{kAny, kAny});
  const py::ssize_t count = positions.shape(0);
  const py::ssize_t n = positions.shape(1);
  const auto* poses = readable<double>(targets, "targets", Shape<3>{kAny, 4, 4});
  const auto* which = readable<std::int64_t>(target_of_row, "target_of_row", Shape<1>{count});
  checkIndices(which, count, targets.shape(0), "target_of_row");
  auto* out = writable<double>(gaps, "gaps", Shape<2>{count, 2});
  const verify::RodriguesChain chain = verifierOfChain(joints, n);
  interruptible(kForever, [&](const parallel::StopWhen& stop) {
    // NOLINTNEXTLINE(*-reinterpret-cast): two numbers each
    verify::measure(chain, {rows, n, count, poses, which}, reinterpret_cast<verify::PoseGap*>(out),
                    stop);
  });
}

void forward(const JointTree& joints, const py::array& positions, py::array poses) {
  const auto* rows = readable<double>(positions, "positions", Shape<2>{kAny, kAny});
  const py::ssize_t count = positions.shape(0);
  const verify::RodriguesChain chain = verifierOfChain(joints, positions.shape(1));
  auto* out = writable<double>(poses, "poses", Shape<3>{count, 4, 4});
  const GilReleased released;
  verify::placeTips(chain, {rows, count, positions.shape(1)}, out);
}

void forwardTips(const JointTree& joints, const py::array& positions, py::array poses) {
  const auto* rows = readable<double>(positions, "positions", Shape<2>{kAny, kAny});
  const py::ssize_t count = positions.shape(0);
  const verify::RodriguesTree tree = verifierOfTree(joints, positions.shape(1));
  const auto goals = static_cast<py::ssize_t>(tree.num_goals);
  auto* out = writable<double>(poses, "poses", Shape<4>{count, goals, 4, 4});
  const GilReleased released;
  verify::placeTips(tree, {rows, count, positions.shape(1)}, out);
}

bool arePoses(const py::array& poses) {
  const auto* numbers = readable<double>(poses, "poses", Shape<3>{kAny, 4, 4});
  // To release the GIL takes as long as to check some.
  constexpr py::ssize_t kFew = 100;
  if (poses.shape(0) <= kFew) {
    return verify::arePoses(numbers, poses.shape(0));
  }
  const GilReleased released;
  return verify::arePoses(numbers, poses.shape(0));
}

py::tuple rotationDefect(const py::array& pose) {
  const auto [orthonormality, reflected, finite] =
      verify::poseDefect(readable<double>(pose, "pose", Shape<2>{4, 4}));
  return py::make_tuple(orthonormality, reflected);
}

// NOLINTNEXTLINE(readability-function-size): arrays are passed one by one
void goalErrors(const JointTree& joints, const py::array& bounded, const py::array& checks,
                const py::array& positions, const py::array& targets,
                const py::array& target_of_row, py::array gaps) {
  const auto* rows = readable<double>(positions, "positions", Shape<2>{kAny, kAny});
  const py::ssize_t count = positions.shape(0);
  const py::ssize_t n = positions.shape(1);
  const verify::RodriguesTree tree = verifierOfTree(joints, n);
  const auto goals = static_cast<py::ssize_t>(tree.num_goals);
  const auto* poses = readable<double>(targets, "targets", Shape<4>{kAny, goals, 4, 4});
  const auto* which = readable<std::int64_t>(target_of_row, "target_of_row", Shape<1>{count});
  checkIndices(which, count, targets.shape(0), "target_of_row");
  constexpr py::ssize_t kSize = verify::Region::kSize;
  const auto* numbers = readable<double>(checks, "checks", Shape<3>{kAny, goals, kSize});
  const auto* bits = readable<std::int64_t>(bounded, "bounded", Shape<1>{goals});
  const py::ssize_t regions = checks.shape(0);
  if (regions != 1 && regions < targets.shape(0)) {
    throw py::value_error("checks: neither one region nor one for each target");
  }
  auto* out = writable<double>(gaps, "gaps", Shape<2>{count, 2});
  interruptible(kForever, [&](const parallel::StopWhen& stop) {
    verify::measureGoals(tree, {regions, numbers, bits}, rows, n, count, poses, which,
                         // NOLINTNEXTLINE(*-reinterpret-cast): two numbers each
                         reinterpret_cast<verify::PoseGap*>(out), stop);
  });
}

}  // namespace

void bindVerification(py::module_& module) {
  module.def("pose_errors", &poseErrors, py::arg("chain"), py::arg("positions"),
             py::arg("targets"), py::arg("target_of_row"), py::arg("gaps"));
  module.def("forward", &forward, py::arg("chain"), py::arg("positions"), py::arg("poses"));
  module.def("forward_tips", &forwardTips, py::arg("tree"), py::arg("positions"),
             py::arg("poses"));
  module.def("are_poses", &arePoses, py::arg("poses"));
  module.def("rotation_defect", &rotationDefect, py::arg("pose"));
  module.def("goal_errors", &goalErrors, py::arg("tree"), py::arg("bounded"), py::arg("checks"),
             py::arg("positions"), py::arg("targets"), py::arg("target_of_row"), py::arg("gaps"));
}

}  // namespace generative_ik::bindings

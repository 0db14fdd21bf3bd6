// Independent verification of chains.
#include <pybind11/stl.h>

#include <cstdint>
#include <optional>
#include <verify/goal_verifier.hpp>
#include <verify/placer.hpp>
#include <verify/pose_check.hpp>
#include <verify/verifier.hpp>

#include "arrays.hpp"
#include "gil.hpp"
#include "interrupts.hpp"
#include "joint_tree.hpp"
#include "module.hpp"
#include "pool.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;

/// Places one tip, or the tips of goals where there is room for them.
void forward(const JointTree& joints, const py::array& positions, py::array poses) {
  const auto* rows = readable<double>(positions, "positions", Shape<2>{kAny, kAny});
  const py::ssize_t count = positions.shape(0);
  const py::ssize_t n = positions.shape(1);
  if (poses.ndim() == 4) {
    const verify::RodriguesTree tree = verifierOfTree(joints, n);
    auto* out = writable<double>(poses, "poses", Shape<4>{count, joints.numGoals(), 4, 4});
    const GilReleased released;
    verify::placeTips(tree, {rows, count, n}, out);
    return;
  }
  const verify::RodriguesChain chain = verifierOfChain(joints, n);
  auto* out = writable<double>(poses, "poses", Shape<3>{count, 4, 4});
  const GilReleased released;
  verify::placeTips(chain, {rows, count, n}, out);
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

/// Regions about the targets of a tree's goals.
verify::Regions regionsOf(const GoalArrays& goals, py::ssize_t count, py::ssize_t targets) {
  const auto& [bounded, checks] = goals;
  const auto* numbers =
      readable<double>(checks, "goals.checks", Shape<3>{kAny, count, verify::Region::kSize});
  const auto* bits = readable<std::int64_t>(bounded, "goals.bounded", Shape<1>{count});
  require(checks.shape(0) == 1 || checks.shape(0) >= targets,
          "goals.checks: neither one region nor one for each target");
  return {checks.shape(0), numbers, bits};
}

void poseErrors(const JointTree& joints, const py::array& positions, const py::array& targets,
                const py::array& target_of_row, py::array gaps,
                const std::optional<GoalArrays>& goals) {
  const auto* rows = readable<double>(positions, "positions", Shape<2>{kAny, kAny});
  const py::ssize_t count = positions.shape(0);
  const py::ssize_t n = positions.shape(1);
  const py::ssize_t tips = joints.numGoals();
  const auto* poses = goals ? readable<double>(targets, "targets", Shape<4>{kAny, tips, 4, 4})
                            : readable<double>(targets, "targets", Shape<3>{kAny, 4, 4});
  const auto* which = readable<std::int64_t>(target_of_row, "target_of_row", Shape<1>{count});
  checkIndices(which, count, targets.shape(0), "target_of_row");
  // NOLINTNEXTLINE(*-reinterpret-cast): two numbers each
  auto* out =
      reinterpret_cast<verify::PoseGap*>(writable<double>(gaps, "gaps", Shape<2>{count, 2}));
  if (goals) {
    const verify::RodriguesTree tree = verifierOfTree(joints, n);
    const verify::Regions regions = regionsOf(*goals, tips, targets.shape(0));
    interruptible(kForever, [&](const parallel::StopWhen& stop) {
      verify::measureGoals(tree, regions, rows, n, count, poses, which, out, stop);
    });
    return;
  }
  const verify::RodriguesChain chain = verifierOfChain(joints, n);
  interruptible(kForever, [&](const parallel::StopWhen& stop) {
    verify::measure(chain, {rows, n, count, poses, which}, out, stop);
  });
}

}  // namespace

void bindVerification(py::module_& module) {
  module.def("pose_errors", &poseErrors, py::arg("chain"), py::arg("positions"),
             py::arg("targets"), py::arg("target_of_row"), py::arg("gaps"),
             py::arg("goals") = py::none());
  module.def("forward", &forward, py::arg("chain"), py::arg("positions"), py::arg("poses"));
  module.def("are_poses", &arePoses, py::arg("poses"));
  module.def("rotation_defect", &rotationDefect, py::arg("pose"));
}

}  // namespace generative_ik::bindings

// Independent verification of chains.
#include "verify.hpp"

#include <cstdint>
#include <string>
#include <verify/goal_verifier.hpp>
#include <verify/pose_check.hpp>
#include <verify/verifier.hpp>

#include "arrays.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;

/// The joints with which a RodriguesChain and a RodriguesTree begin.
verify::RodriguesChain jointsOf(const Arrays& arrays, std::int64_t num_variables) {
  const py::array multiplier = arrays.at(7);
  const auto m = multiplier.ndim() == 1 ? multiplier.shape(0) : 0;
  verify::RodriguesChain chain = {
      m,
      readable<double>(arrays.at(0), "rotations", Shape<3>{m, 3, 3}),
      readable<double>(arrays.at(1), "sine_part", Shape<3>{m, 3, 3}),
      readable<double>(arrays.at(2), "versine_part", Shape<3>{m, 3, 3}),
      readable<double>(arrays.at(3), "shifts", Shape<2>{m, 3}),
      readable<double>(arrays.at(4), "axes", Shape<2>{m, 3}),
      readable<std::int64_t>(arrays.at(5), "prismatic", Shape<1>{m}),
      readable<std::int64_t>(arrays.at(6), "variable", Shape<1>{m}),
      readable<double>(multiplier, "multiplier", Shape<1>{m}),
      readable<double>(arrays.at(8), "offset", Shape<1>{m}),
      nullptr};
  checkIndices(chain.variable, m, num_variables, "variable");
  return chain;
}

verify::RodriguesChain chainOf(const py::tuple& tuple, std::int64_t num_variables) {
  const Arrays arrays(tuple, "chain", 10);
  verify::RodriguesChain chain = jointsOf(arrays, num_variables);
  chain.tip = readable<double>(arrays.at(9), "tip", Shape<2>{4, 4});
  return chain;
}

verify::RodriguesTree treeOf(const py::tuple& tuple, std::int64_t num_variables) {
  const Arrays arrays(tuple, "tree", 15);
  verify::RodriguesTree tree{};
  tree.joints = jointsOf(arrays, num_variables);
  const py::ssize_t m = tree.joints.num_joints;
  const py::array tip_slot = arrays.at(11);
  const py::ssize_t goals = tip_slot.ndim() == 1 ? tip_slot.shape(0) : 0;
  tree.num_goals = goals;
  tree.begin = readable<std::int64_t>(arrays.at(9), "begin", Shape<1>{m});
  tree.slot = readable<std::int64_t>(arrays.at(10), "slot", Shape<1>{m});
  tree.tip_slot = readable<std::int64_t>(tip_slot, "tip_slot", Shape<1>{goals});
  tree.tip = readable<double>(arrays.at(12), "tip", Shape<3>{goals, 4, 4});
  tree.reference_slot = readable<std::int64_t>(arrays.at(13), "reference_slot", Shape<1>{goals});
  tree.reference = readable<double>(arrays.at(14), "reference", Shape<3>{goals, 4, 4});
  if (!verify::countSlots(tree)) {
    throw py::value_error("tree: a slot is not that of a joint");
  }
  return tree;
}

void poseErrors(const py::tuple& arrays, const py::array& positions, const py::array& targets,
                const py::array& target_of_row, py::array gaps) {
  const auto* rows = readable<double>(positions, "positions", Shape<2>{kAny, kAny});
  const py::ssize_t count = positions.shape(0);
  const py::ssize_t n = positions.shape(1);
  const auto* poses = readable<double>(targets, "targets", Shape<3>{kAny, 4, 4});
  const auto* which = readable<std::int64_t>(target_of_row, "target_of_row", Shape<1>{count});
  checkIndices(which, count, targets.shape(0), "target_of_row");
  auto* out = writable<double>(gaps, "gaps", Shape<2>{count, 2});
  const verify::RodriguesChain chain = chainOf(arrays, n);
  const py::gil_scoped_release released;
  // NOLINTNEXTLINE(*-reinterpret-cast): two numbers each
  verify::measure(chain, {rows, n, count, poses, which}, reinterpret_cast<verify::PoseGap*>(out));
}

bool arePoses(const py::array& poses) {
  const auto* numbers = readable<double>(poses, "poses", Shape<3>{kAny, 4, 4});
  // To release the GIL takes as long as to check some.
  constexpr py::ssize_t kFew = 100;
  if (poses.shape(0) <= kFew) {
    return verify::arePoses(numbers, poses.shape(0));
  }
  const py::gil_scoped_release released;
  return verify::arePoses(numbers, poses.shape(0));
}

py::tuple rotationDefect(const py::array& pose) {
  const auto [orthonormality, reflected, finite] =
      verify::poseDefect(readable<double>(pose, "pose", Shape<2>{4, 4}));
  return py::make_tuple(orthonormality, reflected);
}

// NOLINTNEXTLINE(readability-function-size): arrays are passed one by one
void goalErrors(const py::tuple& arrays, const py::array& bounded, const py::array& checks,
                const py::array& positions, const py::array& targets,
                const py::array& target_of_row, py::array gaps) {
  const auto* rows = readable<double>(positions, "positions", Shape<2>{kAny, kAny});
  const py::ssize_t count = positions.shape(0);
  const py::ssize_t n = positions.shape(1);
  const verify::RodriguesTree tree = treeOf(arrays, n);
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
  const py::gil_scoped_release released;
  verify::measureGoals(tree, {regions, numbers, bits}, rows, n, count, poses, which,
                       // NOLINTNEXTLINE(*-reinterpret-cast): two numbers each
                       reinterpret_cast<verify::PoseGap*>(out));
}

}  // namespace

void bindVerification(py::module_& module) {
  module.def("pose_errors", &poseErrors, py::arg("chain"), py::arg("positions"),
             py::arg("targets"), py::arg("target_of_row"), py::arg("gaps"),
             "Write the distance [m] and the angle [rad] of tips from targets, (S, 2).");
  module.def("are_poses", &arePoses, py::arg("poses"),
             "Say whether (B, 4, 4) matrices are poses with rotations as exact as can be.");
  module.def("rotation_defect", &rotationDefect, py::arg("pose"),
             "Return how far a rotation is from orthonormal, and whether it is a reflection.");
  module.def("goal_errors", &goalErrors, py::arg("tree"), py::arg("bounded"), py::arg("checks"),
             py::arg("positions"), py::arg("targets"), py::arg("target_of_row"), py::arg("gaps"),
             "Write the largest distance [m] and angle [rad] of all goals' tips, (S, 2).");
}

}  // namespace generative_ik::bindings

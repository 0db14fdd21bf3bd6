// Independent verification of chains.
#include "verify.hpp"

#include <cstdint>
#include <string>
#include <verify/pose_check.hpp>
#include <verify/verifier.hpp>

#include "arrays.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;

/// What a numpy RodriguesChain holds, and how many joints it has.
verify::RodriguesChain chainOf(const py::tuple& arrays, std::int64_t num_variables) {
  if (arrays.size() != 10) {
    throw py::value_error("chain: expected 10 arrays, got " + std::to_string(arrays.size()));
  }
  const auto at = [&arrays](std::size_t i) {
    if (!py::isinstance<py::array>(arrays[i])) {
      throw py::value_error("chain: expected arrays");
    }
    return py::reinterpret_borrow<py::array>(arrays[i]);
  };
  const py::array multiplier = at(7);
  const auto m = multiplier.ndim() == 1 ? multiplier.shape(0) : 0;
  verify::RodriguesChain chain = {
      m,
      readable<double>(at(0), "rotations", Shape<3>{m, 3, 3}),
      readable<double>(at(1), "sine_part", Shape<3>{m, 3, 3}),
      readable<double>(at(2), "versine_part", Shape<3>{m, 3, 3}),
      readable<double>(at(3), "shifts", Shape<2>{m, 3}),
      readable<double>(at(4), "axes", Shape<2>{m, 3}),
      readable<std::int64_t>(at(5), "prismatic", Shape<1>{m}),
      readable<std::int64_t>(at(6), "variable", Shape<1>{m}),
      readable<double>(multiplier, "multiplier", Shape<1>{m}),
      readable<double>(at(8), "offset", Shape<1>{m}),
      readable<double>(at(9), "tip", Shape<2>{4, 4})};
  checkIndices(chain.variable, m, num_variables, "variable");
  return chain;
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
  for (py::ssize_t t = 0; t < poses.shape(0); ++t) {
    if (!verify::isPose(numbers + 16 * t)) {
      return false;
    }
  }
  return true;
}

py::tuple rotationDefect(const py::array& pose) {
  const auto [orthonormality, reflected, finite] =
      verify::poseDefect(readable<double>(pose, "pose", Shape<2>{4, 4}));
  return py::make_tuple(orthonormality, reflected);
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
}

}  // namespace generative_ik::bindings

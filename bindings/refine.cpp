// Refinement of given seeds.
#include "refine.hpp"

#include <cstdint>
#include <local_solver/refine_chain.hpp>

#include "arrays.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;

// NOLINTNEXTLINE(readability-function-size): arrays are passed one by one, which takes least time
void refine(const py::array& chain_floats, const py::array& chain_ints, const py::array& options,
            bool thorough, const py::array& lower, const py::array& upper, const py::array& poses,
            const py::array& target_of_seed, const py::array& wanted, const py::array& seeds,
            py::array positions, py::array position_error, py::array orientation_error,
            py::array converged, py::array iterations) {
  const Packed packed = {readable<double>(chain_floats, "chain_floats", Shape<1>{kAny}),
                         static_cast<std::size_t>(chain_floats.size()),
                         readable<std::int64_t>(chain_ints, "chain_ints", Shape<1>{kAny}),
                         static_cast<std::size_t>(chain_ints.size())};
  if (!beginsWithChain(packed)) {
    throw py::value_error("chain: not one that `pack_chain` has made");
  }
  const LaneChain chain = unpackChain(packed.floats, packed.ints);
  LaneOptions parameters{};
  if (!readOptions(readable<double>(options, "options", Shape<1>{kOptionNumbers}), parameters)) {
    throw py::value_error("options: iterations and stall_window are no such numbers");
  }
  const py::ssize_t n = chain.num_variables;
  const auto* tip_poses = readable<double>(poses, "poses", Shape<3>{kAny, 4, 4});
  const auto* starts = readable<double>(seeds, "seeds", Shape<2>{kAny, n});
  const py::ssize_t count = seeds.shape(0);
  const py::ssize_t targets = poses.shape(0);
  const Shape<1> each = {count};
  const Refinement task = {count,
                           targets,
                           n,
                           thorough,
                           readable<double>(lower, "lower", Shape<1>{n}),
                           readable<double>(upper, "upper", Shape<1>{n}),
                           readable<std::int64_t>(target_of_seed, "target_of_seed", each),
                           readable<std::int64_t>(wanted, "wanted", Shape<1>{targets}),
                           starts,
                           writable<double>(positions, "positions", Shape<2>{count, n}),
                           writable<double>(position_error, "position_error", each),
                           writable<double>(orientation_error, "orientation_error", each),
                           writable<bool>(converged, "converged", each),
                           writable<std::int64_t>(iterations, "iterations", each)};
  checkIndices(task.target_of_seed, count, targets, "target_of_seed");
  const py::gil_scoped_release released;
  refineChain(chain, parameters, tip_poses, task);
}

}  // namespace

void bindRefine(py::module_& module) {
  module.def("refine", &refine, py::arg("chain_floats"), py::arg("chain_ints"), py::arg("options"),
             py::arg("thorough"), py::arg("lower"), py::arg("upper"), py::arg("poses"),
             py::arg("target_of_seed"), py::arg("wanted"), py::arg("seeds"), py::arg("positions"),
             py::arg("position_error"), py::arg("orientation_error"), py::arg("converged"),
             py::arg("iterations"), "Move each seed towards its target; write where it ended.");
}

}  // namespace generative_ik::bindings

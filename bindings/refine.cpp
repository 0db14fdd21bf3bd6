// Refinement of given seeds.
#include "refine.hpp"

#include <cstdint>
#include <limits>
#include <local_solver/goals/refine_goals.hpp>
#include <local_solver/refine_chain.hpp>

#include "arrays.hpp"
#include "interrupts.hpp"
#include "pool.hpp"

namespace generative_ik::bindings {

namespace py = pybind11;

LaneOptions optionsOf(const py::array& options) {
  LaneOptions parameters{};
  if (!readOptions(readable<double>(options, "options", Shape<1>{kOptionNumbers}), parameters)) {
    throw py::value_error("options: iterations and stall_window are no such numbers");
  }
  return parameters;
}

GoalTree goalTreeOf(const py::tuple& tuple) {
  const Arrays arrays(tuple, "tree", 17);
  const auto length = [](const py::array& array) { return array.ndim() > 0 ? array.shape(0) : 0; };
  GoalTree tree{};
  const py::ssize_t m = tree.num_joints = length(arrays.at(0));
  const py::ssize_t n = tree.num_variables = length(arrays.at(7));
  const py::ssize_t g = tree.num_goals = length(arrays.at(8));
  const py::array path = arrays.at(12);
  tree.origins = readable<double>(arrays.at(0), "origins", Shape<2>{m, kPoseNumbers});
  tree.prismatic = readable<std::int64_t>(arrays.at(1), "prismatic", Shape<1>{m});
  tree.variable = readable<std::int64_t>(arrays.at(2), "variable", Shape<1>{m});
  tree.multiplier = readable<double>(arrays.at(3), "multiplier", Shape<1>{m});
  tree.offset = readable<double>(arrays.at(4), "offset", Shape<1>{m});
  tree.begin = readable<std::int64_t>(arrays.at(5), "begin", Shape<1>{m});
  tree.slot = readable<std::int64_t>(arrays.at(6), "slot", Shape<1>{m});
  tree.scale = readable<double>(arrays.at(7), "scale", Shape<1>{n});
  tree.tip_slot = readable<std::int64_t>(arrays.at(8), "tip_slot", Shape<1>{g});
  tree.tip = readable<double>(arrays.at(9), "tip", Shape<2>{g, kPoseNumbers});
  tree.reference_slot = readable<std::int64_t>(arrays.at(10), "reference_slot", Shape<1>{g});
  tree.reference = readable<double>(arrays.at(11), "reference", Shape<2>{g, kPoseNumbers});
  tree.path = readable<std::int64_t>(path, "path", Shape<2>{kAny, 3});
  tree.path_end = readable<std::int64_t>(arrays.at(13), "path_end", Shape<1>{g});
  tree.column = readable<std::int64_t>(arrays.at(14), "column", Shape<2>{g, n});
  tree.coupled = readable<std::int64_t>(arrays.at(15), "coupled", Shape<2>{g, g});
  tree.bounded = readable<std::int64_t>(arrays.at(16), "bounded", Shape<1>{g});
  if (!countParts(tree, path.shape(0))) {
    throw py::value_error("tree: an index is out of range");
  }
  return tree;
}

namespace {

constexpr std::int64_t kAllAtOnce = std::numeric_limits<std::int64_t>::max();

/// The arrays of seeds, and of where they ended.
struct SeedArguments {
  const py::array& lower;
  const py::array& upper;
  const py::array& target_of_seed;
  const py::array& wanted;
  const py::array& seeds;
  py::array& positions;
  py::array& position_error;
  py::array& orientation_error;
  py::array& converged;
  py::array& iterations;
};

Refinement refinementOf(const SeedArguments& from, bool thorough, py::ssize_t targets,
                        py::ssize_t n) {
  const auto* starts = readable<double>(from.seeds, "seeds", Shape<2>{kAny, n});
  const py::ssize_t count = from.seeds.shape(0);
  const Shape<1> each = {count};
  const Refinement task = {count,
                           n,
                           thorough,
                           readable<double>(from.lower, "lower", Shape<1>{n}),
                           readable<double>(from.upper, "upper", Shape<1>{n}),
                           readable<std::int64_t>(from.target_of_seed, "target_of_seed", each),
                           readable<std::int64_t>(from.wanted, "wanted", Shape<1>{targets}),
                           starts,
                           writable<double>(from.positions, "positions", Shape<2>{count, n}),
                           writable<double>(from.position_error, "position_error", each),
                           writable<double>(from.orientation_error, "orientation_error", each),
                           writable<bool>(from.converged, "converged", each),
                           writable<std::int64_t>(from.iterations, "iterations", each)};
  checkIndices(task.target_of_seed, count, targets, "target_of_seed");
  return task;
}

// NOLINTNEXTLINE(readability-function-size): arrays are passed one by one, which takes least time
void refine(const py::array& chain_floats, const py::array& chain_ints, const py::array& options,
            bool thorough, const py::array& lower, const py::array& upper, const py::array& poses,
            const py::array& target_of_seed, const py::array& wanted, const py::array& seeds,
            py::array positions, py::array position_error, py::array orientation_error,
            py::array converged, py::array iterations, std::int64_t size, double seconds) {
  const Packed packed = {readable<double>(chain_floats, "chain_floats", Shape<1>{kAny}),
                         static_cast<std::size_t>(chain_floats.size()),
                         readable<std::int64_t>(chain_ints, "chain_ints", Shape<1>{kAny}),
                         static_cast<std::size_t>(chain_ints.size())};
  if (!beginsWithChain(packed)) {
    throw py::value_error("chain: not one that `pack_chain` has made");
  }
  const LaneChain chain = unpackChain(packed.floats, packed.ints);
  const LaneOptions parameters = optionsOf(options);
  const auto* tip_poses = readable<double>(poses, "poses", Shape<3>{kAny, 4, 4});
  const SeedArguments arrays = {lower,     upper,     target_of_seed, wanted,
                                seeds,     positions, position_error, orientation_error,
                                converged, iterations};
  const Refinement task = refinementOf(arrays, thorough, poses.shape(0), chain.num_variables);
  require(size > 0, "size: expected a positive number of seeds");
  interruptible(seconds, [&](const parallel::StopWhen& stop) {
    refineChain(chain, parameters, tip_poses, task, {size, stop});
  });
}

// NOLINTNEXTLINE(readability-function-size): arrays are passed one by one
void refineTree(const py::tuple& tree, const py::array& regions, const py::array& options,
                bool thorough, const py::array& lower, const py::array& upper,
                const py::array& poses, const py::array& target_of_seed, const py::array& wanted,
                const py::array& seeds, py::array positions, py::array position_error,
                py::array orientation_error, py::array converged, py::array iterations,
                std::int64_t size, double seconds) {
  GoalTask goals = {goalTreeOf(tree), optionsOf(options), nullptr, 0};
  const py::ssize_t g = goals.tree.num_goals;
  const auto* targets = readable<double>(poses, "poses", Shape<4>{kAny, g, 4, 4});
  goals.regions = readable<double>(regions, "regions", Shape<3>{kAny, g, RegionRow::kSize});
  goals.num_regions = regions.shape(0);
  if (goals.num_regions != 1 && goals.num_regions < poses.shape(0)) {
    throw py::value_error("regions: neither one nor one for each target");
  }
  const SeedArguments arrays = {lower,     upper,     target_of_seed, wanted,
                                seeds,     positions, position_error, orientation_error,
                                converged, iterations};
  const Refinement task = refinementOf(arrays, thorough, poses.shape(0), goals.tree.num_variables);
  require(size > 0, "size: expected a positive number of seeds");
  interruptible(seconds, [&](const parallel::StopWhen& stop) {
    refineGoals(goals, targets, task, {size, stop});
  });
}

}  // namespace

void bindRefine(py::module_& module) {
  module.def("refine", &refine, py::arg("chain_floats"), py::arg("chain_ints"), py::arg("options"),
             py::arg("thorough"), py::arg("lower"), py::arg("upper"), py::arg("poses"),
             py::arg("target_of_seed"), py::arg("wanted"), py::arg("seeds"), py::arg("positions"),
             py::arg("position_error"), py::arg("orientation_error"), py::arg("converged"),
             py::arg("iterations"), py::arg("size") = kAllAtOnce, py::arg("seconds") = kForever,
             "Move each seed towards its target; write where it ended.");
  module.def("refine_goals", &refineTree, py::arg("tree"), py::arg("regions"), py::arg("options"),
             py::arg("thorough"), py::arg("lower"), py::arg("upper"), py::arg("poses"),
             py::arg("target_of_seed"), py::arg("wanted"), py::arg("seeds"), py::arg("positions"),
             py::arg("position_error"), py::arg("orientation_error"), py::arg("converged"),
             py::arg("iterations"), py::arg("size") = kAllAtOnce, py::arg("seconds") = kForever,
             "Move each seed towards the goals of its target; write where it ended.");
}

}  // namespace generative_ik::bindings

// Refinement of given seeds.
#include "refine.hpp"

#include <pybind11/stl.h>

#include <cstdint>
#include <limits>
#include <local_solver/refine_seeds.hpp>
#include <optional>
#include <solver/joint_tree.hpp>

#include "arrays.hpp"
#include "interrupts.hpp"
#include "module.hpp"
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

/// Goals of a tree, and the regions about their targets.
GoalTask goalTaskOf(const JointTree& tree, const LaneOptions& options, const GoalArrays& goals,
                    py::ssize_t targets) {
  const auto& [bounded, regions] = goals;
  GoalTask task = {tree.goals(), options, nullptr, 0};
  const py::ssize_t count = task.tree.num_goals;
  task.tree.bounded = readable<std::int64_t>(bounded, "goals.bounded", Shape<1>{count});
  task.regions =
      readable<double>(regions, "goals.regions", Shape<3>{kAny, count, RegionRow::kSize});
  task.num_regions = regions.shape(0);
  require(task.num_regions == 1 || task.num_regions >= targets,
          "goals.regions: neither one nor one for each target");
  return task;
}

// NOLINTNEXTLINE(readability-function-size): arrays are passed one by one, which takes least time
void refine(const JointTree& tree, const py::array& options, bool thorough, const py::array& lower,
            const py::array& upper, const py::array& poses, const py::array& target_of_seed,
            const py::array& wanted, const py::array& seeds, py::array positions,
            py::array position_error, py::array orientation_error, py::array converged,
            py::array iterations, std::int64_t size, const std::optional<GoalArrays>& goals) {
  require(goals || tree.isChain(), "tree: not a chain");
  require(size > 0, "size: expected a positive number of seeds");
  const LaneOptions parameters = optionsOf(options);
  const py::ssize_t count = tree.numGoals();
  const auto* targets = goals ? readable<double>(poses, "poses", Shape<4>{kAny, count, 4, 4})
                              : readable<double>(poses, "poses", Shape<3>{kAny, 4, 4});
  const SeedArguments arrays = {lower,     upper,     target_of_seed, wanted,
                                seeds,     positions, position_error, orientation_error,
                                converged, iterations};
  const Refinement task = refinementOf(arrays, thorough, poses.shape(0), tree.numVariables());
  const std::optional<GoalTask> of_goals =
      goals ? std::optional(goalTaskOf(tree, parameters, *goals, poses.shape(0))) : std::nullopt;
  interruptible(kForever, [&](const parallel::StopWhen& stop) {
    if (of_goals) {
      refineGoals(*of_goals, targets, task, {size, stop});
    } else {
      refineChain(tree.chain(), parameters, targets, task, {size, stop});
    }
  });
}

}  // namespace

void bindRefine(py::module_& module) {
  module.def("refine", &refine, py::arg("tree"), py::arg("options"), py::arg("thorough"),
             py::arg("lower"), py::arg("upper"), py::arg("poses"), py::arg("target_of_seed"),
             py::arg("wanted"), py::arg("seeds"), py::arg("positions"), py::arg("position_error"),
             py::arg("orientation_error"), py::arg("converged"), py::arg("iterations"),
             py::arg("size") = kAllAtOnce, py::arg("goals") = py::none());
}

}  // namespace generative_ik::bindings

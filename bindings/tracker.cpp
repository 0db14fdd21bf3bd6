// Trackers: the next configuration towards a moving target.
//
// A step takes some microseconds: it keeps the GIL, which others may hold for milliseconds once it
// is released.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <tracking/tracker_state.hpp>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "module.hpp"
#include "pool.hpp"
#include "refine.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;
using tracking::TrackedModel;
using tracking::TrackerSettings;
using tracking::TrackerState;

/// A tracker, and the world that it avoids.
struct BoundTracker {
  TrackerState state;
  py::object world;
};

std::vector<double> rowOf(const double* rows, py::ssize_t row, py::ssize_t n) {
  return {rows + row * n, rows + (row + 1) * n};
}

const double* finite(const py::array& array, const char* name, py::ssize_t n) {
  const auto* numbers = readable<double>(array, name, Shape<1>{n});
  require(std::all_of(numbers, numbers + n, [](double number) { return std::isfinite(number); }),
          (std::string(name) + ": not finite").c_str());
  return numbers;
}

Shape<1> lengthOf(const BoundTracker& tracker) {
  return {static_cast<py::ssize_t>(tracker.state.numVariables())};
}

std::unique_ptr<BoundTracker> makeTracker(const JointTree& tree, const py::array& bounded,
                                          const py::array& regions, const py::array& options,
                                          const py::array& joints, double period,
                                          const py::array& seed, const py::array& largest_jump,
                                          bool follow_jumps, bool position_first, int objective,
                                          py::ssize_t num_closures) {
  const auto g = static_cast<py::ssize_t>(tree.numGoals());
  const auto n = static_cast<py::ssize_t>(tree.numVariables());
  require(g > 0 && n > 0, "tree: without goals or variables");
  require(num_closures >= 0 && num_closures < g, "num_closures: not below the number of goals");
  const auto* rows = readable<double>(joints, "joints", Shape<2>{5, n});
  const auto* jump = readable<double>(largest_jump, "largest_jump", Shape<1>{2});
  const auto* bits = readable<std::int64_t>(bounded, "bounded", Shape<1>{g});
  const auto* bounds = readable<double>(regions, "regions", Shape<3>{1, g, RegionRow::kSize});
  TrackerSettings settings{};
  settings.limits = {period, rowOf(rows, 0, n), rowOf(rows, 1, n), rowOf(rows, 2, n),
                     rowOf(rows, 3, n)};
  settings.steps = rowOf(rows, 4, n);
  settings.weights = optionsOf(options);
  settings.position_first = position_first;
  require(objective >= 0 && objective <= static_cast<int>(NullSpaceObjective::kManipulability),
          "objective: not 0, 1 or 2");
  settings.objective = static_cast<NullSpaceObjective>(objective);
  settings.largest_jump = {jump[0], jump[1]};
  settings.follow_jumps = follow_jumps;
  const std::string wrong = whatIsWrong(settings, static_cast<std::size_t>(n));
  if (!wrong.empty()) {
    throw py::value_error(wrong);
  }
  const auto* start = finite(seed, "seed", n);
  const Eigen::Map<const Vector> steps(settings.steps.data(), n);
  TrackedModel model(tree.steppedBy(steps), {bounds, bounds + g * RegionRow::kSize},
                     {bits, bits + g}, static_cast<std::size_t>(num_closures));
  // NOLINTNEXTLINE(modernize-make-unique): Clang before 16 makes no aggregates so
  return std::unique_ptr<BoundTracker>(
      new BoundTracker{TrackerState(std::move(model), std::move(settings), start), py::none()});
}

/// Positions and velocities (n), in arrays of their own; status, reason, errors.
py::tuple lastStep(const BoundTracker& tracker) {
  const TrackerStep& step = tracker.state.last();
  py::array positions = newArray<double>(lengthOf(tracker));
  py::array velocities = newArray<double>(lengthOf(tracker));
  std::copy(step.positions.begin(), step.positions.end(),
            static_cast<double*>(positions.mutable_data()));
  std::copy(step.velocities.begin(), step.velocities.end(),
            static_cast<double*>(velocities.mutable_data()));
  return py::make_tuple(std::move(positions), std::move(velocities), static_cast<int>(step.status),
                        static_cast<int>(step.reason), step.position_error,
                        step.orientation_error);
}

py::tuple stepTowards(BoundTracker& tracker, const py::array& targets) {
  const auto goals = static_cast<py::ssize_t>(tracker.state.numGoals());
  tracker.state.step(readable<double>(targets, "targets", Shape<3>{goals, 4, 4}));
  return lastStep(tracker);
}

py::tuple brake(BoundTracker& tracker) {
  tracker.state.brake();
  return lastStep(tracker);
}

void reset(BoundTracker& tracker, const py::array& seed) {
  tracker.state.reset(finite(seed, "seed", lengthOf(tracker)[0]));
}

void moveTo(BoundTracker& tracker, const py::array& configuration) {
  const auto* q = finite(configuration, "configuration", lengthOf(tracker)[0]);
  require(tracker.state.isWithinLimits(q), "configuration: outside the joint limits");
  tracker.state.moveTo(q);
}

void setPosture(BoundTracker& tracker, const py::array& posture) {
  tracker.state.setPosture(finite(posture, "posture", lengthOf(tracker)[0]));
}

void avoid(BoundTracker& tracker, const py::object& world, double clearance) {
  require(world.is_none() || py::isinstance<CollisionWorld>(world),
          "world: expected a CollisionWorld or None");
  const auto* of_core = world.is_none() ? nullptr : world.cast<const CollisionWorld*>();
  const auto n = static_cast<std::int64_t>(tracker.state.numVariables());
  require(of_core == nullptr || of_core->numVariables() == n, "world: not one of so many joints");
  require(clearance > 0.0 && std::isfinite(clearance), "clearance: not above 0 and finite");
  tracker.state.avoid(of_core, clearance);
  tracker.world = world;
}

}  // namespace

void bindTracker(py::module_& module) {
  py::class_<BoundTracker>(module, "Tracker")
      .def(py::init(&makeTracker), py::arg("tree"), py::arg("bounded"), py::arg("regions"),
           py::arg("options"), py::arg("joints"), py::arg("period"), py::arg("seed"),
           py::arg("largest_jump"), py::arg("follow_jumps"), py::arg("position_first"),
           py::arg("objective"), py::arg("num_closures") = 0)
      .def("step", &stepTowards, py::arg("targets"))
      .def("brake", &brake)
      .def("reset", &reset, py::arg("seed"))
      .def("move_to", &moveTo, py::arg("configuration"))
      .def("set_posture", &setPosture, py::arg("posture"))
      .def("avoid", &avoid, py::arg("world"), py::arg("clearance"))
      .def("last", &lastStep);
}

}  // namespace generative_ik::bindings

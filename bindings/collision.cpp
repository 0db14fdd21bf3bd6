// Collision worlds: packed arrays, as the core takes them.
#include "collision.hpp"

#include <algorithm>
#include <collision/building/moving_frames.hpp>
#include <collision/many.hpp>
#include <cstdint>
#include <generative_ik/collision_world.hpp>
#include <local_solver/packed_joints.hpp>
#include <memory>
#include <vector>

#include "arrays.hpp"
#include "gil.hpp"
#include "interrupts.hpp"
#include "module.hpp"
#include "pool.hpp"
#include "search/collisions.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;

constexpr py::ssize_t kMostVariables = 1 << 16;  // more are no robot's

/// The numbers of an array, copied.
template <class Number, std::size_t kDimensions>
std::vector<Number> copyOf(const py::array& array, const char* name,
                           const Shape<kDimensions>& shape) {
  const auto* numbers = readable<Number>(array, name, shape);
  return {numbers, numbers + array.size()};
}

// NOLINTNEXTLINE(readability-function-size): arrays are passed one by one
std::unique_ptr<CollisionWorld> makeWorld(py::ssize_t num_variables, const py::array& frames,
                                          const py::array& frame_ints, const py::array& bodies,
                                          py::ssize_t num_moving, const py::array& trees,
                                          const py::array& extremes, const py::array& pairs,
                                          const py::array& margins, const py::array& primitives,
                                          const py::array& kinds, const py::array& corners,
                                          const py::array& allowed, double margin) {
  require(num_variables >= 0 && num_variables <= kMostVariables,
          "num_variables: expected 0 to 65536");
  CollisionWorldArrays arrays;
  arrays.num_variables = num_variables;
  arrays.frames = copyOf<double>(frames, "frames", Shape<2>{kAny, 35});
  arrays.frame_ints = copyOf<std::int64_t>(frame_ints, "frame_ints", Shape<2>{kAny, 3});
  arrays.bodies = copyOf<std::int64_t>(bodies, "bodies", Shape<2>{kAny, 8});
  arrays.num_moving = num_moving;
  arrays.trees = copyOf<double>(trees, "trees", Shape<2>{kAny, 8});
  arrays.extremes = copyOf<double>(extremes, "extremes", Shape<2>{kAny, 3});
  arrays.pairs = copyOf<std::int64_t>(pairs, "pairs", Shape<2>{kAny, 2});
  arrays.margins = copyOf<double>(margins, "margins", Shape<1>{kAny});
  arrays.primitives = copyOf<double>(primitives, "primitives", Shape<3>{kAny, 17, 8});
  arrays.kinds = copyOf<std::int64_t>(kinds, "kinds", Shape<1>{kAny});
  arrays.corners = copyOf<double>(corners, "corners", Shape<3>{kAny, 8, 3});
  arrays.allowed = copyOf<std::int64_t>(allowed, "allowed", Shape<2>{kAny, 2});
  arrays.margin = margin;
  return std::make_unique<CollisionWorld>(arrays);
}

/// The numbers of frames (F, 35), from what is before the joints that move them.
py::array numbersOfFrames(const py::array& origins, const py::array& axes,
                          const py::array& couplings) {
  const auto* frames = readable<double>(origins, "origins", Shape<3>{kAny, 4, 4});
  const py::ssize_t count = origins.shape(0);
  const auto* directions = readable<double>(axes, "axes", Shape<2>{count, 3});
  const auto* follows = readable<double>(couplings, "couplings", Shape<2>{count, 2});
  py::array numbers = newArray<double>(Shape<2>{count, collision::building::kFrameNumbers});
  auto* out = static_cast<double*>(numbers.mutable_data());
  for (py::ssize_t f = 0; f < count; ++f) {
    Joint joint;
    joint.joint_in_parent = readPose(frames + 16 * f);
    joint.axis = Eigen::Map<const Eigen::Vector3d>(directions + 3 * f);
    joint.multiplier = follows[2 * f];
    joint.offset = follows[2 * f + 1];
    out = std::ranges::copy(collision::building::frameNumbers(joint), out).out;
  }
  return numbers;
}

collision::Rows rowsOf(const CollisionWorld& world, const py::array& positions) {
  const auto n = static_cast<py::ssize_t>(world.numVariables());
  return {readable<double>(positions, "positions", Shape<2>{kAny, n}), positions.shape(0)};
}

py::array verdicts(const CollisionWorld& world, const py::array& positions) {
  const collision::Rows rows = rowsOf(world, positions);
  py::array found = newArray<std::int64_t>(Shape<1>{positions.shape(0)});
  auto* out = static_cast<Verdict*>(found.mutable_data());
  std::fill_n(out, rows.count, Verdict::kColliding);
  interruptible(kForever,
                [&](const parallel::StopWhen& stop) { collision::check(world, rows, out, stop); });
  return found;
}

void clearance(const CollisionWorld& world, const py::array& positions, py::array bounds) {
  const collision::Rows rows = rowsOf(world, positions);
  auto* out = writable<double>(bounds, "bounds", Shape<1>{positions.shape(0)});
  interruptible(kForever, [&](const parallel::StopWhen& stop) {
    collision::measure(world, rows, out, stop);
  });
}

py::tuple contacts(const CollisionWorld& world, const py::array& q) {
  const auto n = static_cast<py::ssize_t>(world.numVariables());
  const auto* position = readable<double>(q, "q", Shape<1>{n});
  CollisionMemory memory;
  const std::vector<Contact> found = withoutGil([&] { return world.contacts(position, memory); });
  py::array frames =
      newArray<double>(Shape<2>{static_cast<py::ssize_t>(world.numFrames()) + 1, 12});
  std::copy(memory.frames.begin(), memory.frames.end(),
            static_cast<double*>(frames.mutable_data()));
  py::array rows = newArray<std::int64_t>(Shape<2>{static_cast<py::ssize_t>(found.size()), 3});
  auto* out = static_cast<std::int64_t*>(rows.mutable_data());
  for (const Contact& contact : found) {
    *out++ = contact.body;
    *out++ = contact.other;
    *out++ = static_cast<std::int64_t>(contact.verdict);
  }
  return py::make_tuple(std::move(rows), std::move(frames));
}

std::unique_ptr<WorldShapes> makeShapes(const CollisionWorld& world, const py::array& pieces,
                                        const py::array& places) {
  ShapeArrays arrays;
  arrays.pieces = copyOf<double>(pieces, "pieces", Shape<1>{kAny});
  arrays.places = copyOf<std::int64_t>(places, "places", Shape<1>{kAny});
  return std::make_unique<WorldShapes>(WorldShapes{world, ShapeDistances(world, arrays)});
}

void distances(const WorldShapes& of, const py::array& positions, py::array found) {
  const collision::Rows rows = rowsOf(of.world, positions);
  auto* out = writable<double>(found, "distances", Shape<1>{positions.shape(0)});
  interruptible(kForever, [&](const parallel::StopWhen& stop) {
    collision::measure(of.world, of.shapes, rows, out, stop);
  });
}

}  // namespace

CollisionCheck checkOf(const CollisionWorld* world, std::int64_t num_joints) {
  if (world == nullptr) {
    return {};
  }
  require(world->numVariables() == num_joints, "world: not one of so many joints");
  return checkIn(*world, search::kMarginWanted);
}

void bindCollisions(py::module_& module) {
  module.def("frame_numbers", &numbersOfFrames, py::arg("origins"), py::arg("axes"),
             py::arg("couplings"));
  py::class_<CollisionWorld>(module, "CollisionWorld")
      .def(py::init(&makeWorld), py::arg("num_variables"), py::arg("frames"),
           py::arg("frame_ints"), py::arg("bodies"), py::arg("num_moving"), py::arg("trees"),
           py::arg("extremes"), py::arg("pairs"), py::arg("margins"), py::arg("primitives"),
           py::arg("kinds"), py::arg("corners"), py::arg("allowed"), py::arg("margin"))
      .def("verdicts", &verdicts, py::arg("positions"))
      .def("clearance", &clearance, py::arg("positions"), py::arg("bounds"))
      .def("contacts", &contacts, py::arg("q"));
  py::class_<WorldShapes>(module, "ShapeDistances")
      .def(py::init(&makeShapes), py::arg("world"), py::arg("pieces"), py::arg("places"),
           py::keep_alive<1, 2>())
      .def("measure", &distances, py::arg("positions"), py::arg("distances"));
}

}  // namespace generative_ik::bindings

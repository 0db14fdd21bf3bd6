// Devices that run the kernels of core/cuda.
#include "device.hpp"

#include <answers/branch_problem.hpp>
#include <collision/world_arrays.hpp>
#include <cstdint>
#include <device/cuda_device.hpp>
#include <device/device_search.hpp>
#include <device/emulated_device.hpp>
#include <limits>
#include <memory>
#include <search/chain_problem.hpp>
#include <string>
#include <vector>
#include <verify/pose_check.hpp>

#include "arrays.hpp"
#include "gil.hpp"
#include "interrupts.hpp"
#include "pool.hpp"
#include "problem.hpp"
#include "rodrigues.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;
using device::DeviceSearch;

// Solutions of a target: more are no number of a kernel's.
constexpr std::int64_t kMostWanted = 1 << 20;

// The driver's failures as Python's own: no memory, no device, and all else.
template <class Function>
auto translated(const Function& function) {
  try {
    return function();
  } catch (const device::OutOfMemoryError& error) {
    PyErr_SetString(PyExc_MemoryError, error.what());
  } catch (const device::NoDeviceError& error) {
    PyErr_SetString(PyExc_OSError, error.what());
  }
  throw py::error_already_set();
}

std::unique_ptr<DeviceSearch> openCuda(const py::bytes& fat_binary, int index,
                                       const std::string& library) {
  const std::string image = fat_binary;
  return translated([&] {
    std::unique_ptr<device::Device> gpu = std::make_unique<device::CudaDevice>(
        std::vector<char>(image.begin(), image.end()), index, library.c_str());
    return std::make_unique<DeviceSearch>(std::move(gpu));
  });
}

std::unique_ptr<DeviceSearch> openEmulated(std::int64_t memory) {
  require(memory >= 0, "memory: expected a number of bytes");
  return std::make_unique<DeviceSearch>(
      std::make_unique<device::EmulatedDevice>(static_cast<std::size_t>(memory)));
}

// NOLINTNEXTLINE(readability-function-size): arrays are passed one by one
py::tuple solve(DeviceSearch& search, const py::array& floats, const py::array& ints,
                const py::array& box, const py::array& grid_floats, const py::array& grid_ints,
                const ClosedForm* form, const py::array& parameters, const py::array& targets,
                std::int64_t wanted, std::uint64_t random_seed, double seconds,
                const CollisionWorld* world, py::array positions, py::array errors,
                py::array counts) {
  const Packed packed = packedOf(floats, ints);
  const auto* rows = readable<double>(box, "box", Shape<2>{7, kAny});
  const py::ssize_t n = box.shape(1);
  require(search::ChainProblem::takes(packed, n) &&
              device::takes(unpackChain(packed.floats, packed.ints)),
          "problem: not that of a chain whose threads there are kernels for");
  const auto* distance = readable<double>(grid_floats, "grid_floats", Shape<1>{7});
  const auto* grid = readable<std::int64_t>(grid_ints, "grid_ints", Shape<1>{12 + n});
  const auto* poses = readable<double>(targets, "targets", Shape<3>{kAny, 4, 4});
  const py::ssize_t count = targets.shape(0);
  require(wanted > 0 && wanted <= kMostWanted, "wanted: expected a number of solutions");
  const device::SearchCall call = {
      poses,
      count,
      wanted,
      random_seed,
      writable<double>(positions, "positions", Shape<3>{count, wanted, n}),
      writable<double>(errors, "errors", Shape<3>{count, wanted, 2}),
      writable<std::int64_t>(counts, "counts", Shape<1>{count})};
  device::ProblemNumbers problem = device::problemNumbers(packed, rows, *distance, grid + 12);
  if (form != nullptr) {
    problem.form = form;
    problem.parameters = readable<double>(parameters, "parameters", Shape<1>{kAny});
    problem.num_parameters = static_cast<std::size_t>(parameters.size());
    require(n == answers::kJoints && device::isPlain(problem.chain) &&
                form->takes(problem.parameters, problem.num_parameters),
            "parameters: not those of an arm of the family");
  }
  if (world != nullptr) {
    problem.world = &world->parts();
    require(world->numVariables() == n && device::takes(*problem.world),
            "world: not one of so many joints among which threads check");
  }
  const device::SearchWork work = translated([&] {
    const GilReleased released;
    return search.solve(problem, call, stopAfter(seconds));
  });
  throwInterrupt();
  return py::make_tuple(work.rounds, work.seeds);
}

void place(DeviceSearch& search, const py::tuple& arrays, const py::array& positions,
           py::array poses) {
  const auto* rows = readable<double>(positions, "positions", Shape<2>{kAny, kAny});
  const py::ssize_t count = positions.shape(0);
  const py::ssize_t n = positions.shape(1);
  const verify::RodriguesChain chain = chainOf(arrays, n);
  auto* out = writable<double>(poses, "poses", Shape<3>{count, 4, 4});
  translated([&] {
    const GilReleased released;
    search.placeTips(chain, n, rows, count, out);
    return 0;
  });
}

}  // namespace

void bindDevices(py::module_& module) {
  py::class_<DeviceSearch>(module, "Device", "Runs the kernels of core/cuda.")
      .def_static("cuda", &openCuda, py::arg("fat_binary"), py::arg("index") = 0,
                  py::arg("library") = device::CudaDevice::kDriverLibrary)
      .def_static("emulated", &openEmulated,
                  py::arg("memory") = std::numeric_limits<std::int64_t>::max())
      .def_static(
          "takes",
          [](const py::array& floats, const py::array& ints) {
            const Packed packed = packedOf(floats, ints);
            return beginsWithChain(packed) &&
                   device::takes(unpackChain(packed.floats, packed.ints));
          },
          py::arg("problem_floats"), py::arg("problem_ints"))
      .def_static(
          "takes_world", [](const CollisionWorld& world) { return device::takes(world.parts()); },
          py::arg("world"))
      .def_property_readonly("name",
                             [](const DeviceSearch& search) { return search.device().name(); })
      .def("solve", &solve, py::arg("problem_floats"), py::arg("problem_ints"), py::arg("box"),
           py::arg("grid_floats"), py::arg("grid_ints"), py::arg("form").none(true),
           py::arg("parameters"), py::arg("targets"), py::arg("wanted"), py::arg("random_seed"),
           py::arg("seconds"), py::arg("world").none(true), py::arg("positions"),
           py::arg("errors"), py::arg("counts"))
      .def("place", &place, py::arg("chain"), py::arg("positions"), py::arg("poses"));
}

}  // namespace generative_ik::bindings

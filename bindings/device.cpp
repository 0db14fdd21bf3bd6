// Devices that run the kernels of core/cuda.
#include <pybind11/stl.h>

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
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
#include <verify/pose_check.hpp>

#include "arrays.hpp"
#include "device_errors.hpp"
#include "gil.hpp"
#include "interrupts.hpp"
#include "joint_tree.hpp"
#include "module.hpp"
#include "pool.hpp"
#include "problem.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;
using device::DeviceSearch;

// Solutions of a target: more are no number of a kernel's.
constexpr std::int64_t kMostWanted = 1 << 20;

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

/// What calls have in common: problem, box, grid, closed form and what it takes, and the world.
using DeviceProblem = std::tuple<py::tuple, py::array, py::tuple, const ClosedForm*, py::array,
                                 const CollisionWorld*>;

device::ProblemNumbers deviceProblemOf(const DeviceProblem& from) {
  const auto& [arrays, box, grid, form, parameters, world] = from;
  const Packed packed = packedOf(arrays);
  const auto* rows = readable<double>(box, "box", Shape<2>{7, kAny});
  const py::ssize_t n = box.shape(1);
  require(search::ChainProblem::takes(packed, n) &&
              device::takes(unpackChain(packed.floats, packed.ints)),
          "problem: not that of a chain whose threads there are kernels for");
  const Arrays of_grid(grid, "grid", 2);
  const auto* distance = readable<double>(of_grid.at(0), "grid", Shape<1>{7});
  const auto* cells = readable<std::int64_t>(of_grid.at(1), "grid", Shape<1>{12 + n});
  device::ProblemNumbers problem = device::problemNumbers(packed, rows, *distance, cells + 12);
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
  return problem;
}

template <class Call>
py::tuple solved(DeviceSearch& search, const device::ProblemNumbers& problem, const Call& call,
                 double seconds) {
  const device::SearchWork work = translated([&] {
    const GilReleased released;
    return search.solve(problem, call, stopAfter(seconds));
  });
  throwInterrupt();
  return py::make_tuple(work.rounds, work.seeds);
}

// NOLINTNEXTLINE(readability-function-size): arrays are passed one by one
py::tuple solve(DeviceSearch& search, const DeviceProblem& given, const py::array& targets,
                std::int64_t wanted, std::uint64_t random_seed, double seconds,
                py::array positions, py::array errors, py::array counts) {
  const device::ProblemNumbers problem = deviceProblemOf(given);
  const py::ssize_t n = std::get<1>(given).shape(1);
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
  return solved(search, problem, call, seconds);
}

/// The numbers of an array in the memory of a device, by the protocol __cuda_array_interface__;
/// the emulated device, whose memory is the process's, takes numpy's arrays as well.
template <class Number>
class ResidentArray {
 public:
  ResidentArray(const DeviceSearch& search, const py::object& object, const char* name,
                const char* type, std::vector<py::ssize_t> shape)
      : name_(name), shape_(std::move(shape)) {
    if (py::hasattr(object, "__cuda_array_interface__")) {
      takeInterface(object.attr("__cuda_array_interface__"), type);
    } else if (search.device().isEmulated() && py::isinstance<py::array>(object)) {
      takeArray(py::reinterpret_borrow<py::array>(object));
    } else {
      fail();
    }
  }

  [[nodiscard]] Number* numbers() const { return numbers_; }
  [[nodiscard]] py::ssize_t length() const { return shape_.at(0); }
  [[nodiscard]] py::ssize_t wanted() const { return shape_.at(1); }

 private:
  [[noreturn]] void fail() const {
    std::string dimensions;
    for (const py::ssize_t size : shape_) {
      dimensions += (dimensions.empty() ? "" : ", ") + (size < 0 ? "any" : std::to_string(size));
    }
    throw py::value_error(std::string(name_) + ": expected an array on the device, (" +
                          dimensions + "), contiguous, float64, or int32 for counts");
  }

  void takeShape(const std::vector<py::ssize_t>& shape) {
    bool same = shape.size() == shape_.size();
    for (std::size_t k = 0; same && k < shape.size(); ++k) {
      same = shape_[k] == shape[k] || (shape_[k] < 0 && shape[k] >= 0);
    }
    if (!same) {
      fail();
    }
    shape_ = shape;
  }

  void takeInterface(const py::object& object, const char* type) {
    try {
      const auto interface = object.cast<py::dict>();
      const auto data = interface["data"].cast<std::pair<std::uintptr_t, bool>>();
      if (interface["typestr"].cast<std::string>() != type ||
          (interface.contains("strides") && !interface["strides"].is_none()) ||
          (data.second && !std::is_const_v<Number>)) {
        fail();
      }
      takeShape(interface["shape"].cast<std::vector<py::ssize_t>>());
      numbers_ = reinterpret_cast<Number*>(data.first);  // NOLINT: an address of the device
    } catch (const py::cast_error&) {
      fail();
    } catch (const py::error_already_set&) {
      fail();
    }
  }

  void takeArray(const py::array& array) {
    const bool fits = array.dtype().is(py::dtype::of<std::remove_const_t<Number>>()) &&
                      (array.flags() & py::array::c_style) != 0 &&
                      (std::is_const_v<Number> || array.writeable());
    if (!fits) {
      fail();
    }
    takeShape({array.shape(), array.shape() + array.ndim()});
    numbers_ = static_cast<Number*>(const_cast<void*>(array.data()));  // NOLINT: checked above
  }

  const char* name_;
  std::vector<py::ssize_t> shape_;
  Number* numbers_ = nullptr;
};

py::tuple solveInto(DeviceSearch& search, const DeviceProblem& given, const py::object& targets,
                    std::uint64_t random_seed, double seconds, const py::object& positions,
                    const py::object& counts) {
  const device::ProblemNumbers problem = deviceProblemOf(given);
  const ResidentArray<const double> poses(search, targets, "targets", "<f8", {-1, 4, 4});
  const ResidentArray<double> out(search, positions, "positions", "<f8",
                                  {poses.length(), -1, std::get<1>(given).shape(1)});
  const ResidentArray<std::int32_t> found(search, counts, "counts", "<i4", {poses.length()});
  require(out.wanted() > 0 && out.wanted() <= kMostWanted,
          "positions: expected room for solutions");
  const device::ResidentCall call = {poses.numbers(), poses.length(), out.wanted(),
                                     random_seed,     out.numbers(),  found.numbers()};
  return solved(search, problem, call, seconds);
}

void place(DeviceSearch& search, const JointTree& joints, const py::array& positions,
           py::array poses) {
  const auto* rows = readable<double>(positions, "positions", Shape<2>{kAny, kAny});
  const py::ssize_t count = positions.shape(0);
  const py::ssize_t n = positions.shape(1);
  const verify::RodriguesChain chain = verifierOfChain(joints, n);
  auto* out = writable<double>(poses, "poses", Shape<3>{count, 4, 4});
  translated([&] {
    const GilReleased released;
    search.placeTips(chain, n, rows, count, out);
    return 0;
  });
}

}  // namespace

void bindDevices(py::module_& module) {
  py::class_<DeviceSearch>(module, "Device")
      .def_static("cuda", &openCuda, py::arg("fat_binary"), py::arg("index") = 0,
                  py::arg("library") = device::CudaDevice::kDriverLibrary)
      .def_static("emulated", &openEmulated,
                  py::arg("memory") = std::numeric_limits<std::int64_t>::max())
      .def_static(
          "takes",
          [](const py::tuple& problem) {
            const Packed packed = packedOf(problem);
            return beginsWithChain(packed) &&
                   device::takes(unpackChain(packed.floats, packed.ints));
          },
          py::arg("problem"))
      .def_static("takes_form", &DeviceSearch::takes, py::arg("form"))
      .def_static(
          "takes_world", [](const CollisionWorld& world) { return device::takes(world.parts()); },
          py::arg("world"))
      .def_property_readonly("name",
                             [](const DeviceSearch& search) { return search.device().name(); })
      .def("solve", &solve, py::arg("problem"), py::arg("targets"), py::arg("wanted"),
           py::arg("random_seed"), py::arg("seconds"), py::arg("positions"), py::arg("errors"),
           py::arg("counts"))
      .def("solve_into", &solveInto, py::arg("problem"), py::arg("targets"),
           py::arg("random_seed"), py::arg("seconds"), py::arg("positions"), py::arg("counts"))
      .def("place", &place, py::arg("chain"), py::arg("positions"), py::arg("poses"));
}

}  // namespace generative_ik::bindings

// Trained networks in a device's memory: the arguments are those of the CPU's calls, first those
// that stay.
#include <cstdint>
#include <device/device_networks.hpp>
#include <memory>
#include <utility>

#include "device_errors.hpp"
#include "gil.hpp"
#include "interrupts.hpp"
#include "module.hpp"
#include "networks.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;

/// An arm on a device, and what requests for it are checked against.
struct ArmOnDevice {
  ArmOnDevice(std::unique_ptr<device::DeviceArm> with_arm, ArmIndices with_indices)
      : arm(std::move(with_arm)), indices(std::move(with_indices)) {}

  std::unique_ptr<device::DeviceArm> arm;
  ArmIndices indices;
};

/// Puts a network into a device's memory.
template <class Resident, class Network>
std::unique_ptr<Resident> put(device::DeviceSearch& search, const Network& network) {
  return translated([&] {
    // Whoever has the device may wait for the GIL.
    const GilReleased released;
    return std::make_unique<Resident>(search, network);
  });
}

/// Has a device work, with its failures as Python's exceptions.
template <class Work>
void onDevice(const Work& work) {
  translated([&] {
    const GilReleased released;
    work(stopAfter(kForever));
    return 0;
  });
  throwInterrupt();
}

}  // namespace

void bindDeviceNetworks(py::module_& module) {
  py::class_<device::DeviceFlow>(module, "DeviceFlow")
      .def(py::init([](device::DeviceSearch& search, const FlowArguments& flow) {
             return put<device::DeviceFlow>(search, flowOf(flow));
           }),
           py::keep_alive<1, 2>(), py::arg("device"), py::arg("flow"))
      .def(
          "samples",
          [](device::DeviceFlow& flow, const py::array& poses, const py::array& recurrence,
             double temperature, std::int64_t first, const py::array& lower,
             const py::array& upper, py::array positions) {
            const learned::FlowRequest request = flowRequestOf(
                flow.flow(), poses, recurrence, temperature, first, lower, upper, positions);
            if (positions.size() > 0) {
              onDevice([&](const parallel::StopWhen& stop) { flow.sample(request, stop); });
            }
          },
          py::arg("poses"), py::arg("recurrence"), py::arg("temperature"), py::arg("first"),
          py::arg("lower"), py::arg("upper"), py::arg("positions"));
  py::class_<ArmOnDevice>(module, "DeviceArm")
      .def(py::init([](device::DeviceSearch& search, const ArmArguments& model) {
             const learned::Arm arm = armOf(model);
             return std::make_unique<ArmOnDevice>(put<device::DeviceArm>(search, arm),
                                                  ArmIndices(arm.links));
           }),
           py::keep_alive<1, 2>(), py::arg("device"), py::arg("arm"))
      .def(
          "samples",
          [](ArmOnDevice& on_device, const py::array& goals, const py::array& recurrence,
             std::int64_t first, const py::array& shifts, const py::array& periodic,
             const py::array& lower, const py::array& upper, py::array positions) {
            const learned::CompletionRequest request =
                completionRequestOf(on_device.indices, goals, recurrence, first, shifts, periodic,
                                    lower, upper, positions);
            if (positions.size() > 0) {
              onDevice(
                  [&](const parallel::StopWhen& stop) { on_device.arm->complete(request, stop); });
            }
          },
          py::arg("goals"), py::arg("recurrence"), py::arg("first"), py::arg("shifts"),
          py::arg("periodic"), py::arg("lower"), py::arg("upper"), py::arg("positions"));
  py::class_<device::DeviceMembers>(module, "DeviceMembers")
      .def(py::init([](device::DeviceSearch& search, const MembersArguments& members) {
             return put<device::DeviceMembers>(search, membersOf(members));
           }),
           py::keep_alive<1, 2>(), py::arg("device"), py::arg("members"))
      .def(
          "answers",
          [](device::DeviceMembers& members, const py::array& poses, py::array boxed) {
            const learned::AnswerRequest request =
                answerRequestOf(members.networks(), poses, boxed);
            onDevice([&](const parallel::StopWhen& stop) { members.answer(request, stop); });
          },
          py::arg("poses"), py::arg("boxed"));
}

}  // namespace generative_ik::bindings

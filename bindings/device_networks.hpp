// Trained networks in a device's memory.
#pragma once

#include <pybind11/pybind11.h>

namespace generative_ik::bindings {

void bindDeviceNetworks(pybind11::module_& module);

}  // namespace generative_ik::bindings

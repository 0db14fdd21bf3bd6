// Devices that run the kernels of core/cuda.
#pragma once

#include <pybind11/pybind11.h>

namespace generative_ik::bindings {

void bindDevices(pybind11::module_& module);

}  // namespace generative_ik::bindings

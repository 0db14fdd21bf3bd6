// Samples of trained networks.
#pragma once

#include <pybind11/pybind11.h>

namespace generative_ik::bindings {

void bindNetworks(pybind11::module_& module);

}  // namespace generative_ik::bindings

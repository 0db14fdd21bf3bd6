// Null-space optimization.
#pragma once

#include <pybind11/pybind11.h>

namespace generative_ik::bindings {

void bindOptimization(pybind11::module_& module);

}  // namespace generative_ik::bindings

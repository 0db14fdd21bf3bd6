// Paths.
#pragma once

#include <pybind11/pybind11.h>

namespace generative_ik::bindings {

void bindPaths(pybind11::module_& module);

}  // namespace generative_ik::bindings

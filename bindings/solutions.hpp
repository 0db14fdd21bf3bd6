#pragma once

#include <pybind11/pybind11.h>

namespace generative_ik::bindings {

/// Adds what is done to whole arrays of solutions to the module.
void bindSolutions(pybind11::module_& module);

}  // namespace generative_ik::bindings

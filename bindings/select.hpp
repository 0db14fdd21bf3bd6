#pragma once

#include <pybind11/pybind11.h>

namespace generative_ik::bindings {

/// Adds the choice of solutions, and their full turns, to the module.
void bindSelection(pybind11::module_& module);

}  // namespace generative_ik::bindings

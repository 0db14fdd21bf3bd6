#pragma once

#include <pybind11/pybind11.h>

namespace generative_ik::bindings {

/// Adds how long searches go on, and the sequence of their seeds, to the module.
void bindPolicy(pybind11::module_& module);

}  // namespace generative_ik::bindings

#pragma once

#include <pybind11/pybind11.h>

namespace generative_ik::bindings {

/// Adds independent verification to the module.
void bindVerification(pybind11::module_& module);

}  // namespace generative_ik::bindings

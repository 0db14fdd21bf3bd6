#pragma once

#include <pybind11/pybind11.h>

namespace generative_ik::bindings {

/// Adds the families of closed forms to the module.
void bindClosedForms(pybind11::module_& module);

}  // namespace generative_ik::bindings

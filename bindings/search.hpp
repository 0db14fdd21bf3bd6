#pragma once

#include <pybind11/pybind11.h>

namespace generative_ik::bindings {

/// Adds the search to the module.
void bindSearch(pybind11::module_& module);

}  // namespace generative_ik::bindings

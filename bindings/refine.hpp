#pragma once

#include <pybind11/pybind11.h>

namespace generative_ik::bindings {

/// Adds the refinement of given seeds to the module.
void bindRefine(pybind11::module_& module);

}  // namespace generative_ik::bindings

#pragma once

#include <pybind11/pybind11.h>

namespace generative_ik::bindings {

/// Adds what closed forms answer at once to the module.
void bindRegions(pybind11::module_& module);

}  // namespace generative_ik::bindings

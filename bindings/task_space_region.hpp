// Task space regions, and what is made of them.
#pragma once

#include <pybind11/pybind11.h>

namespace generative_ik::bindings {

void bindTaskSpaceRegions(pybind11::module_& module);

}  // namespace generative_ik::bindings

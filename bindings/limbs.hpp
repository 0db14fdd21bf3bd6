#pragma once

#include <pybind11/pybind11.h>

namespace generative_ik::bindings {

/// Adds what limbs that share no joint answer together to the module.
void bindLimbs(pybind11::module_& module);

}  // namespace generative_ik::bindings

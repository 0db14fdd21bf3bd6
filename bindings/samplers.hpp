#pragma once

#include <pybind11/pybind11.h>

namespace generative_ik::bindings {

/// Adds stored seeds: capability maps, postures of trees and their limbs.
void bindSamplers(pybind11::module_& module);

}  // namespace generative_ik::bindings

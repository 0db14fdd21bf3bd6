// Trackers: the next configuration towards a moving target.
#pragma once

#include <pybind11/pybind11.h>

namespace generative_ik::bindings {

void bindTracker(pybind11::module_& module);

}  // namespace generative_ik::bindings

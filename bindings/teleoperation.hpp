// What makes targets of a device in a hand, or of a stream of messages.
#pragma once

#include <pybind11/pybind11.h>

namespace generative_ik::bindings {

void bindTeleoperation(pybind11::module_& module);

}  // namespace generative_ik::bindings

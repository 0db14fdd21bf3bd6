#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <local_solver/options.hpp>

namespace generative_ik::bindings {

/// Parameters of the local solver, see `optionNumbers`.
LaneOptions optionsOf(const pybind11::array& options);

}  // namespace generative_ik::bindings

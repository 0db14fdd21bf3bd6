// Ctrl-C, and other signals that Python handles, in calls that take long.
#pragma once

#include <pybind11/pybind11.h>

#include <limits>
#include <parallel/checkpoint.hpp>

namespace generative_ik::bindings {

inline constexpr double kForever = std::numeric_limits<double>::infinity();

/// When so many seconds are over, or a signal's handler has raised an exception. The GIL is taken
/// to ask for the latter; only Python's main thread runs handlers.
inline parallel::StopWhen stopAfter(double seconds) {
  return {parallel::after(seconds), [] {
            const pybind11::gil_scoped_acquire held;
            return PyErr_CheckSignals() != 0;
          }};
}

/// Throws the exception of a signal's handler, if there is one.
inline void throwInterrupt() {
  if (PyErr_Occurred() != nullptr) {
    throw pybind11::error_already_set();
  }
}

}  // namespace generative_ik::bindings

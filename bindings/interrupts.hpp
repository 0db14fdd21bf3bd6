// Ctrl-C, and other signals that Python handles, in calls that take long.
#pragma once

#include <pybind11/pybind11.h>

#include <limits>
#include <parallel/checkpoint.hpp>

#include "gil.hpp"

#ifdef __linux__
#include <unistd.h>
#endif

namespace generative_ik::bindings {

inline constexpr double kForever = std::numeric_limits<double>::infinity();

/// Whether this thread may be the one that runs the handlers of signals. Others must not ask for
/// the GIL: they would wait for whoever holds it, and for ever while the interpreter ends.
inline bool mayHandleSignals() {
#ifdef __linux__
  return gettid() == getpid();
#else
  return true;
#endif
}

/// Whether the interpreter ends: who asks for its GIL then may wait for ever.
inline bool isFinalizing() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

/// When so many seconds are over, or the handler of a signal has raised an exception.
inline parallel::StopWhen stopAfter(double seconds) {
  return {
      parallel::after(seconds), [] {
        if (!mayHandleSignals()) {
          return false;
        }
        return withGil([] { return PyErr_Occurred() != nullptr || PyErr_CheckSignals() != 0; });
      }};
}

/// Throws the exception of a signal's handler, if there is one.
inline void throwInterrupt() {
  if (PyErr_Occurred() != nullptr) {
    throw pybind11::error_already_set();
  }
}

/// Has `work` run without the GIL until so many seconds are over, or the handler of a signal has
/// raised an exception, which is thrown.
template <class Work>
void interruptible(double seconds, const Work& work) {
  {
    const GilReleased released;
    work(stopAfter(seconds));
  }
  throwInterrupt();
}

}  // namespace generative_ik::bindings

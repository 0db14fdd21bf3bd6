// Failures of devices as exceptions of Python.
#pragma once

#include <pybind11/pybind11.h>

#include <device/device.hpp>

namespace generative_ik::bindings {

/// Returns what a function does. The driver's failures are Python's own: no memory, no device, and
/// all else.
template <class Function>
auto translated(const Function& function) {
  try {
    return function();
  } catch (const device::OutOfMemoryError& error) {
    PyErr_SetString(PyExc_MemoryError, error.what());
  } catch (const device::NoDeviceError& error) {
    PyErr_SetString(PyExc_OSError, error.what());
  }
  throw pybind11::error_already_set();
}

}  // namespace generative_ik::bindings

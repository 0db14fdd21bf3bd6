// Structured numpy arrays whose records are the core's structs.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>

#include "arrays.hpp"

namespace generative_ik::bindings {

/// The records of a structured array (count), or (any) for `kAny`, which is written to.
///
/// A record's size tells whether it is the struct, of which Python has the fields
/// (`record_type`).
template <class Record>
Record* writableRecords(pybind11::array& array, const char* name, pybind11::ssize_t count) {
  constexpr int kContiguous = pybind11::detail::npy_api::NPY_ARRAY_C_CONTIGUOUS_;
  // NOLINTNEXTLINE(*-reinterpret-cast): whether its address is one of a record
  const bool aligned = reinterpret_cast<std::uintptr_t>(array.data()) % alignof(Record) == 0;
  const bool fits = array.dtype().kind() == 'V' && array.itemsize() == sizeof(Record) && aligned &&
                    (array.flags() & kContiguous) != 0 && array.ndim() == 1 &&
                    (count == kAny || array.shape(0) == count);
  if (!fits) {
    throw pybind11::value_error(std::string(name) + ": expected records of " +
                                std::to_string(sizeof(Record)) + " bytes " + shapeText(&count, 1) +
                                ", contiguous and aligned, got " +
                                std::string(pybind11::str(array.dtype())) + " " +
                                shapeText(array.shape(), static_cast<std::size_t>(array.ndim())));
  }
  if (!array.writeable()) {
    throw pybind11::value_error(std::string(name) + ": the array is read-only");
  }
  return static_cast<Record*>(array.mutable_data());
}

}  // namespace generative_ik::bindings

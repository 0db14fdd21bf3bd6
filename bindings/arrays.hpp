// Views of numpy arrays that cross the binding: checked, and neither copied nor converted.
//
// A call that gets the array it asks for pays some tens of nanoseconds for each; pybind11's own
// array_t, which converts what does not fit, takes three times as long. Values are not looked at:
// what NaN means is the core's to say.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>

namespace generative_ik::bindings {

/// Any length of a dimension.
constexpr pybind11::ssize_t kAny = -1;

/// Lengths of an array's dimensions, `kAny` where the caller chooses.
template <std::size_t kDimensions>
using Shape = std::array<pybind11::ssize_t, kDimensions>;

inline std::string shapeText(const pybind11::ssize_t* shape, std::size_t dimensions) {
  std::string text = "(";
  for (std::size_t i = 0; i < dimensions; ++i) {
    text += (i > 0 ? ", " : "") + (shape[i] == kAny ? "any" : std::to_string(shape[i]));
  }
  return text + ")";
}

/// Whether an array has a type. Nearly all have numpy's own object for it, which is seen sooner
/// than that another is equivalent.
template <class Number>
bool isOf(const pybind11::array& array) {
  return pybind11::detail::array_proxy(array.ptr())->descr ==
             pybind11::dtype::of<Number>().ptr() ||
         pybind11::isinstance<pybind11::array_t<Number>>(array);
}

/// Whether an array has a type, shape and layout.
template <class Number, std::size_t kDimensions>
bool fits(const pybind11::array& array, const Shape<kDimensions>& shape) {
  constexpr int kAligned = pybind11::detail::npy_api::NPY_ARRAY_ALIGNED_;
  constexpr int kLayout = kAligned | pybind11::array::c_style;
  bool is = array.ndim() == static_cast<pybind11::ssize_t>(kDimensions) &&
            (array.flags() & kLayout) == kLayout && isOf<Number>(array);
  for (std::size_t i = 0; is && i < kDimensions; ++i) {
    is = shape[i] == kAny || shape[i] == array.shape()[i];
  }
  return is;
}

/// Throws ValueError unless an array fits.
template <class Number, std::size_t kDimensions>
void check(const pybind11::array& array, const char* name, const Shape<kDimensions>& shape) {
  if (!fits<Number>(array, shape)) {
    const std::string wanted = pybind11::str(pybind11::dtype::of<Number>());
    const std::string given = pybind11::str(array.dtype());
    throw pybind11::value_error(std::string(name) + ": expected " + wanted + " " +
                                shapeText(shape.data(), shape.size()) +
                                ", contiguous and aligned, got " + given + " " +
                                shapeText(array.shape(), static_cast<std::size_t>(array.ndim())));
  }
}

/// Throws ValueError unless all indices are below a size.
inline void checkIndices(const std::int64_t* indices, std::int64_t count, std::int64_t size,
                         const char* name) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (indices[i] < 0 || indices[i] >= size) {
      throw pybind11::value_error(std::string(name) + ": " + std::to_string(indices[i]) +
                                  " is not below " + std::to_string(size));
    }
  }
}

/// A new array, in a third of the time that pybind11's own takes.
template <class Number, std::size_t kDimensions>
pybind11::array newArray(Shape<kDimensions> shape) {
  const auto& numpy = pybind11::detail::npy_api::get();
  pybind11::dtype type = pybind11::dtype::of<Number>();
  PyObject* array = numpy.PyArray_NewFromDescr_(numpy.PyArray_Type_, type.release().ptr(),
                                                static_cast<int>(kDimensions), shape.data(),
                                                nullptr, nullptr, 0, nullptr);
  if (array == nullptr) {
    throw pybind11::error_already_set();
  }
  return pybind11::reinterpret_steal<pybind11::array>(array);
}

/// The numbers of an array that is read.
template <class Number, std::size_t kDimensions>
const Number* readable(const pybind11::array& array, const char* name,
                       const Shape<kDimensions>& shape) {
  check<Number>(array, name, shape);
  return static_cast<const Number*>(array.data());
}

/// The numbers of what may be an array that fits; null if it is none.
template <class Number, std::size_t kDimensions>
const Number* readableIf(pybind11::handle object, const Shape<kDimensions>& shape) {
  if (!pybind11::isinstance<pybind11::array>(object)) {
    return nullptr;
  }
  const auto array = pybind11::reinterpret_borrow<pybind11::array>(object);
  return fits<Number>(array, shape) ? static_cast<const Number*>(array.data()) : nullptr;
}

/// The numbers of an array that is written to; read-only arrays are refused.
template <class Number, std::size_t kDimensions>
Number* writable(pybind11::array& array, const char* name, const Shape<kDimensions>& shape) {
  check<Number>(array, name, shape);
  if (!array.writeable()) {
    throw pybind11::value_error(std::string(name) + ": the array is read-only");
  }
  return static_cast<Number*>(array.mutable_data());
}

/// What is bounded of each goal of a tree, and the regions about their targets.
using GoalArrays = std::tuple<pybind11::array, pybind11::array>;

/// The arrays of a named tuple.
class Arrays {
 public:
  Arrays(const pybind11::tuple& arrays, const char* name, std::size_t count)
      : arrays_(arrays), name_(name) {
    if (arrays.size() != count) {
      throw pybind11::value_error(std::string(name) + ": expected " + std::to_string(count) +
                                  " arrays, got " + std::to_string(arrays.size()));
    }
  }

  [[nodiscard]] pybind11::array at(std::size_t i) const {
    if (!pybind11::isinstance<pybind11::array>(arrays_[i])) {
      throw pybind11::value_error(std::string(name_) + ": expected arrays");
    }
    return pybind11::reinterpret_borrow<pybind11::array>(arrays_[i]);
  }

 private:
  const pybind11::tuple& arrays_;
  const char* name_;
};

}  // namespace generative_ik::bindings

#include "one_pose.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <vector>

namespace generative_ik::bindings {

namespace py = pybind11;

namespace {

// Writes an attribute as `object.__setattr__` does.
void setAttribute(const py::object& object, PyObject* name, const py::object& value) {
  if (PyObject_GenericSetAttr(object.ptr(), name, value.ptr()) != 0) {
    throw py::error_already_set();
  }
}

py::object newTuple(const py::object& first, const py::object& second) {
  return py::reinterpret_steal<py::object>(PyTuple_Pack(2, first.ptr(), second.ptr()));
}

}  // namespace

double clockNow() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

py::object newPacked(py::ssize_t wanted) {
  const auto errors = static_cast<py::ssize_t>(sizeof(verify::PoseGap)) * wanted;
  const auto size = static_cast<py::ssize_t>(sizeof(PackedNumbers)) + errors;
  auto packed = py::reinterpret_steal<py::object>(PyBytes_FromStringAndSize(nullptr, size));
  if (!packed) {
    throw py::error_already_set();
  }
  return packed;
}

PackedNumbers& numbersIn(const py::object& packed) {
  // NOLINTNEXTLINE(*-reinterpret-cast): the bytes of a new object, as aligned as its own numbers
  return *reinterpret_cast<PackedNumbers*>(PyBytes_AS_STRING(packed.ptr()));
}

py::object newResult(const ResultParts& parts, py::array positions, py::object packed) {
  static PyObject* const kPositions = PyUnicode_InternFromString("positions");
  static PyObject* const kCounts = PyUnicode_InternFromString("counts");
  static PyObject* const kUnread = PyUnicode_InternFromString("_unread");
  // NOLINTNEXTLINE(*-reinterpret-cast): it is one
  auto* type = reinterpret_cast<PyTypeObject*>(parts.type);
  if (PyType_Check(parts.type) == 0 || type->tp_new != PyBaseObject_Type.tp_new) {
    throw py::type_error("type: expected a class that objects are made of by object.__new__");
  }
  auto result = py::reinterpret_steal<py::object>(type->tp_alloc(type, 0));
  py::array counts = newArray<std::int64_t>(Shape<1>{1});
  *static_cast<std::int64_t*>(counts.mutable_data()) = numbersIn(packed).note.count;
  const py::object given =
      newTuple(py::reinterpret_borrow<py::object>(parts.stages), std::move(packed));
  const py::object unread = newTuple(py::reinterpret_borrow<py::object>(parts.read), given);
  if (!result || !given || !unread) {
    throw py::error_already_set();
  }
  setAttribute(result, kPositions, positions);
  setAttribute(result, kCounts, counts);
  setAttribute(result, kUnread, unread);
  return result;
}

PyObject* unpackResult(PyObject* /*module*/, PyObject* packed) {
  return returned([&]() -> py::object {
    constexpr auto kErrors = static_cast<py::ssize_t>(sizeof(PackedNumbers));
    constexpr auto kError = static_cast<py::ssize_t>(sizeof(verify::PoseGap));
    constexpr py::ssize_t kNotes = sizeof(answers::Note) / sizeof(std::int64_t);
    if (PyBytes_Check(packed) == 0) {
      throw py::type_error("packed: expected bytes");
    }
    const py::ssize_t size = PyBytes_GET_SIZE(packed);
    if (size < kErrors || (size - kErrors) % kError != 0) {
      throw py::value_error("packed: not the numbers of a result");
    }
    const char* bytes = PyBytes_AS_STRING(packed);
    PackedNumbers numbers{};
    std::memcpy(&numbers, bytes, sizeof(numbers));
    py::array notes = newArray<std::int64_t>(Shape<2>{1, kNotes});
    std::memcpy(notes.mutable_data(), &numbers.note, sizeof(numbers.note));
    py::array errors = newArray<double>(Shape<3>{1, (size - kErrors) / kError, 2});
    std::copy_n(bytes + kErrors, size - kErrors, static_cast<char*>(errors.mutable_data()));
    return py::make_tuple(std::move(notes), std::move(errors), numbers.start, numbers.begin,
                          numbers.end);
  });
}

void checkCount(py::ssize_t given, py::ssize_t wanted) {
  if (given != wanted) {
    throw py::type_error("expected " + std::to_string(wanted) + " arguments, got " +
                         std::to_string(given));
  }
}

void bindResults(py::module_& module) {
  static PyMethodDef unpack = {"unpack_result", &unpackResult, METH_O, nullptr};
  auto function = py::reinterpret_steal<py::object>(PyCFunction_New(&unpack, nullptr));
  if (!function) {
    throw py::error_already_set();
  }
  module.attr("unpack_result") = function;
}

void addMethod(const py::object& type, const char* name, FastMethod method) {
  // As long as the class, which is as long as the process.
  // NOLINTBEGIN(*-reinterpret-cast): CPython's way to say of which kind a function is
  static std::vector<std::unique_ptr<PyMethodDef>> kept;
  kept.push_back(std::make_unique<PyMethodDef>(
      PyMethodDef{name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(method)),
                  METH_FASTCALL, nullptr}));
  auto descriptor = py::reinterpret_steal<py::object>(
      PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(type.ptr()), kept.back().get()));
  // NOLINTEND(*-reinterpret-cast)
  if (!descriptor) {
    throw py::error_already_set();
  }
  type.attr(name) = descriptor;
}

}  // namespace generative_ik::bindings

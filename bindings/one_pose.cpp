#include "one_pose.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
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

// A new reference that CPython has returned, or its exception.
py::object made(PyObject* object) {
  if (object == nullptr) {
    throw py::error_already_set();
  }
  return py::reinterpret_steal<py::object>(object);
}

}  // namespace

double clockNow() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

py::object newPacked(py::ssize_t wanted) {
  const auto errors = static_cast<py::ssize_t>(sizeof(verify::PoseGap)) * wanted;
  const auto size = static_cast<py::ssize_t>(sizeof(PackedNumbers)) + errors;
  return made(PyBytes_FromStringAndSize(nullptr, size));
}

PackedNumbers& numbersIn(const py::object& packed) {
  // NOLINTNEXTLINE(*-reinterpret-cast): the bytes of a new object, as aligned as its own numbers
  return *reinterpret_cast<PackedNumbers*>(PyBytes_AS_STRING(packed.ptr()));
}

ResultParts partsFrom(PyObject* const* arguments) {
  // NOLINTNEXTLINE(*-reinterpret-cast): used if it is one
  auto* type = reinterpret_cast<PyTypeObject*>(arguments[0]);
  if (PyType_Check(arguments[0]) == 0 || type->tp_new != PyBaseObject_Type.tp_new) {
    throw py::type_error("type: expected a class that objects are made of by object.__new__");
  }
  return {type, arguments[1], arguments[2], py::handle(arguments[3]).cast<double>()};
}

py::object newResult(const ResultParts& parts, const py::array& positions,
                     const py::object& packed) {
  static PyObject* const kPositions = PyUnicode_InternFromString("positions");
  static PyObject* const kCounts = PyUnicode_InternFromString("counts");
  static PyObject* const kUnread = PyUnicode_InternFromString("_unread");
  const py::object result = made(parts.type->tp_alloc(parts.type, 0));
  py::array counts = newArray<std::int64_t>(Shape<1>{1});
  *static_cast<std::int64_t*>(counts.mutable_data()) = numbersIn(packed).note.count;
  const py::object given = made(PyTuple_Pack(2, parts.stages, packed.ptr()));
  const py::object unread = made(PyTuple_Pack(2, parts.read, given.ptr()));
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
  module.attr("unpack_result") = made(PyCFunction_New(&unpack, nullptr));
}

void addMethod(const py::object& type, const char* name, FastMethod method) {
  // As long as the class, which is as long as the process.
  // NOLINTBEGIN(*-reinterpret-cast): CPython's way to say of which kind a function is
  static std::vector<std::unique_ptr<PyMethodDef>> kept;
  kept.push_back(std::make_unique<PyMethodDef>(
      PyMethodDef{name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(method)),
                  METH_FASTCALL, nullptr}));
  auto* owner = reinterpret_cast<PyTypeObject*>(type.ptr());
  // NOLINTEND(*-reinterpret-cast)
  type.attr(name) = made(PyDescr_NewMethod(owner, kept.back().get()));
}

}  // namespace generative_ik::bindings

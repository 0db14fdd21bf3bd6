#include "one_pose.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "module.hpp"

namespace generative_ik::bindings {

namespace py = pybind11;

namespace {

// Bytes of packed numbers, of a note, and of the errors of a solution.
constexpr auto kHeader = static_cast<py::ssize_t>(sizeof(PackedNumbers));
constexpr auto kNote = static_cast<py::ssize_t>(sizeof(answers::Note));
constexpr auto kError = static_cast<py::ssize_t>(sizeof(verify::PoseGap));

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

py::object newPacked(py::ssize_t count, py::ssize_t wanted) {
  py::object packed =
      made(PyBytes_FromStringAndSize(nullptr, kHeader + count * (kNote + kError * wanted)));
  numbersIn(packed) = {count, 0.0, 0.0, 0.0};
  return packed;
}

// NOLINTBEGIN(*-reinterpret-cast): the bytes of a new object, as aligned as its own numbers
PackedNumbers& numbersIn(const py::object& packed) {
  return *reinterpret_cast<PackedNumbers*>(PyBytes_AS_STRING(packed.ptr()));
}

answers::Note* notesIn(const py::object& packed) {
  return reinterpret_cast<answers::Note*>(PyBytes_AS_STRING(packed.ptr()) + kHeader);
}

verify::PoseGap* errorsIn(const py::object& packed) {
  return reinterpret_cast<verify::PoseGap*>(notesIn(packed) + numbersIn(packed).count);
}
// NOLINTEND(*-reinterpret-cast)

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
  // NOLINTBEGIN(*-avoid-non-const-global-variables): Python's strings, made once
  static PyObject* const positions_name = PyUnicode_InternFromString("positions");
  static PyObject* const counts_name = PyUnicode_InternFromString("counts");
  static PyObject* const unread_name = PyUnicode_InternFromString("_unread");
  // NOLINTEND(*-avoid-non-const-global-variables)
  py::object result = made(parts.type->tp_alloc(parts.type, 0));
  const std::int64_t count = numbersIn(packed).count;
  py::array counts = newArray<std::int64_t>(Shape<1>{count});
  std::transform(notesIn(packed), notesIn(packed) + count,
                 static_cast<std::int64_t*>(counts.mutable_data()),
                 [](const answers::Note& note) { return note.count; });
  // NOLINTBEGIN(*-vararg): sooner than a tuple of pybind11's
  const py::object given = made(PyTuple_Pack(2, parts.stages, packed.ptr()));
  const py::object unread = made(PyTuple_Pack(2, parts.read, given.ptr()));
  // NOLINTEND(*-vararg)
  setAttribute(result, positions_name, positions);
  setAttribute(result, counts_name, counts);
  setAttribute(result, unread_name, unread);
  return result;
}

namespace {

// The numbers of a result, and how many solutions of each target there is room for.
struct Unpacked {
  PackedNumbers numbers;
  py::ssize_t wanted;
};

Unpacked unpacked(PyObject* packed) {
  if (PyBytes_Check(packed) == 0) {
    throw py::type_error("packed: expected bytes");
  }
  const py::ssize_t behind = PyBytes_GET_SIZE(packed) - kHeader;
  PackedNumbers numbers{};
  if (behind > 0) {
    std::memcpy(&numbers, PyBytes_AS_STRING(packed), sizeof(numbers));
  }
  const py::ssize_t count = numbers.count;
  const bool several = count > 0 && count <= behind && behind % count == 0;
  if (!several || behind / count < kNote || (behind / count - kNote) % kError != 0) {
    throw py::value_error("packed: not the numbers of a result");
  }
  return {numbers, (behind / count - kNote) / kError};
}

}  // namespace

void completeResult(const py::object& packed, py::ssize_t target, double distance, double angle) {
  const auto [numbers, wanted] = unpacked(packed.ptr());
  if (target < 0 || target >= numbers.count || wanted != 1) {
    throw py::value_error("target: not one of which one solution is wanted");
  }
  answers::Note note{};
  note.count = 1;
  note.setState(answers::State::kDone);
  char* bytes = PyBytes_AS_STRING(packed.ptr()) + kHeader;
  const verify::PoseGap gap = {distance, angle};
  std::memcpy(bytes + kNote * target, &note, sizeof(note));
  std::memcpy(bytes + kNote * numbers.count + kError * target, &gap, sizeof(gap));
}

PyObject* unpackResult(PyObject* /*module*/, PyObject* packed) {
  return returned([&]() -> py::object {
    const auto [numbers, wanted] = unpacked(packed);
    const char* bytes = PyBytes_AS_STRING(packed);
    const py::ssize_t count = numbers.count;
    constexpr py::ssize_t kNumbers = kNote / static_cast<py::ssize_t>(sizeof(std::int64_t));
    py::array notes = newArray<std::int64_t>(Shape<2>{count, kNumbers});
    py::array errors = newArray<double>(Shape<3>{count, wanted, 2});
    std::copy_n(bytes + kHeader, kNote * count, static_cast<char*>(notes.mutable_data()));
    std::copy_n(bytes + kHeader + kNote * count, kError * wanted * count,
                static_cast<char*>(errors.mutable_data()));
    return py::make_tuple(std::move(notes), std::move(errors), numbers.start, numbers.begin,
                          numbers.end, numbers.null_space_seeds, numbers.exact,
                          numbers.iterations);
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
  module.attr("FEW_POSES") = kFewPoses;
  module.attr("FEW_POSES_OF_ZEROS") = kFewPosesOfZeros;
  module.attr("unpack_result") = made(PyCFunction_New(&unpack, nullptr));
  module.def("complete_result", &completeResult, py::arg("packed"), py::arg("target"),
             py::arg("distance"), py::arg("angle"));
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

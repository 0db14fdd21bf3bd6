// Calls for one pose that make the caller's result themselves.
//
// A robot in a loop makes them. The core answers in hardly more time than Python takes to put a
// result of several arrays together, or pybind11 to hand on many arguments. So these methods are
// CPython's own (METH_FASTCALL), of positional arguments only, and what few callers read of a
// result is packed into bytes.
//
// `Asked` is what the methods have to know of a kind of problem:
//   Problem                               the class
//   size(problem), tips(problem)          joints of a solution, and poses of a target
//   pose(problem, object)                 the numbers of these poses; null if it is none
//   few(problem)                          of as many targets one solution each is asked for at
//   once takes(problem, seed)                  whether a seed state is inside the limits
//   answer(problem, call, targets)                          writes solutions
//   answerNearest(problem, weights, seed, targets)          writes the nearest
//   knowsNearestOnes(problem)    whether it writes as many of the nearest as there is room for
#pragma once

#include <pybind11/pybind11.h>

#include <stdexcept>

#include "answer_calls.hpp"
#include "arrays.hpp"
#include "collision.hpp"
#include "decisions.hpp"
#include "pool.hpp"

namespace generative_ik::bindings {

/// What results are made of besides solutions, behind a call's other arguments.
struct ResultParts {
  PyTypeObject* type;  ///< Their class, of which `object.__new__` makes them.
  PyObject* read;      ///< Computes attributes that were not written, see `IKSolutions.made`.
  PyObject* stages;    ///< What it is given, with the packed numbers.
  double start;        ///< Reading of the clock when the call began [s].
  static constexpr pybind11::ssize_t kCount = 4;
};

/// Those of a call from the first of them on. Throws TypeError unless they are that.
ResultParts partsFrom(PyObject* const* arguments);

/// The numbers of a result that few callers read. The notes of its targets are behind them, and
/// the errors of their solutions.
struct PackedNumbers {
  std::int64_t count;  ///< Targets.
  double start;        ///< Reading of the steady clock when the call began [s].
  double begin;        ///< And when the core was asked.
  double end;          ///< And when it had answered.
  // What else a search says of its work; no exact seeds: a closed form has answered.
  std::int64_t null_space_seeds = 0;
  std::int64_t exact = 0;
  std::int64_t iterations = 0;
};

/// A reading of the steady clock [s], that of `time.perf_counter`.
double clockNow();

/// Targets of a call that is answered by one thread at the most: of more, several threads take
/// less time, and of fewer where branches are zeros of a polynomial.
inline constexpr pybind11::ssize_t kFewPoses = 128;
inline constexpr pybind11::ssize_t kFewPosesOfZeros = 16;

inline pybind11::ssize_t fewPosesOf(const ClosedForm& form) {
  return answers::isSpecial(form) ? kFewPoses : kFewPosesOfZeros;
}

/// Makes bytes for the packed numbers of targets, with so many solutions each.
pybind11::object newPacked(pybind11::ssize_t count, pybind11::ssize_t wanted);
PackedNumbers& numbersIn(const pybind11::object& packed);
/// What is behind them.
answers::Note* notesIn(const pybind11::object& packed);
verify::PoseGap* errorsIn(const pybind11::object& packed);

/// A result with its positions (T, N, n), and what else nearly all callers read.
pybind11::object newResult(const ResultParts& parts, const pybind11::array& positions,
                           const pybind11::object& packed);

/// unpack_result(packed): notes (T, 5), errors (T, N, 2), the readings of the clock [s], and a
/// search's null-space steps, exact seeds and iterations.
PyObject* unpackResult(PyObject* module, PyObject* packed);

/// complete_result(packed, target, distance, angle) of a result for one solution of each target.
void completeResult(const pybind11::object& packed, pybind11::ssize_t target, double distance,
                    double angle);

/// Has `run` return an object, of which exceptions are Python's.
template <class Run>
PyObject* returned(const Run& run) {
  namespace py = pybind11;
  try {
    return py::object(run()).release().ptr();
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const py::cast_error& error) {
    PyErr_SetString(PyExc_TypeError, error.what());
  } catch (const py::builtin_exception& error) {
    error.set_error();
  } catch (const std::invalid_argument& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

/// What a method is called of, which Python has made sure is a `Problem`.
template <class Problem>
const Problem& problemOf(PyObject* self) {
  // NOLINTNEXTLINE(*-reinterpret-cast): pybind11's own way, which looks for the type first
  const auto* problem = reinterpret_cast<pybind11::detail::instance*>(self)
                            ->get_value_and_holder()
                            .template value_ptr<Problem>();
  if (problem == nullptr) {
    throw pybind11::type_error("not a problem that was made");
  }
  return *problem;
}

/// Throws TypeError unless there are so many arguments.
void checkCount(pybind11::ssize_t given, pybind11::ssize_t wanted);

/// What a call asks for each target.
struct OneCall {
  std::int64_t wanted;          ///< Solutions.
  CollisionCheck check;         ///< What they are free of.
  std::uint64_t random_seed;    ///< Of what is sampled.
  search::Collides collides{};  ///< None: what spheres cannot tell of is left.

  /// Has `answer` answer by the check, and, where it leaves the target, by all decisions.
  template <class Answer>
  void ask(const answers::Targets& target, std::int64_t size, const Answer& answer) const {
    answer(check);
    if (collides && target.notes->isLeft()) {
      *target.notes = {};
      answer(search::deciding(check, collides, size));
    }
  }
};

/// A new result of targets, for `answer`, which writes to one of `answers::Targets`; None if one
/// is no pose, False if all are left. Args: or_none: whether it may be one without any solution,
/// if that is certain; else that is None, too. Of several targets some may have none in any case.
template <class Asked, class Answer>
pybind11::object solveTargets(const typename Asked::Problem& problem, const double* tips,
                              pybind11::ssize_t count, pybind11::ssize_t wanted,
                              const ResultParts& parts, bool or_none, const Answer& answer) {
  namespace py = pybind11;
  const double begin = clockNow();
  const py::ssize_t size = Asked::size(problem);
  const py::ssize_t poses = Asked::tips(problem);
  if (!verify::arePoses(tips, count * poses)) {
    return py::none();
  }
  py::array positions = newArray<double>(Shape<3>{count, wanted, size});
  py::object packed = newPacked(count, wanted);
  PackedNumbers& numbers = numbersIn(packed);
  numbers.start = parts.start;
  numbers.begin = begin;
  auto* rows = static_cast<double*>(positions.mutable_data());
  bool any = false;
  bool left = true;
  bool certain = or_none;
  for (py::ssize_t t = 0; t < count; ++t) {
    answers::Note* note = notesIn(packed) + t;
    const bool solved =
        answerInto({tips + answers::kOfPose * poses * t, note, rows + wanted * size * t,
                    errorsIn(packed) + wanted * t, wanted, size, poses},
                   answer);
    note->count = solved ? note->count : 0;
    any = any || solved;
    left = left && note->isLeft();
    certain = certain && note->isDone();
  }
  if (!any && !certain) {
    return left ? py::object(py::bool_(false)) : py::object(py::none());
  }
  numbers.end = clockNow();
  return newResult(parts, positions, packed);
}

/// Poses (T, 4, 4) of up to so many targets of one tip; null if they are none.
struct FewPoses {
  const double* numbers = nullptr;
  pybind11::ssize_t count = 0;

  static FewPoses of(pybind11::handle object, pybind11::ssize_t most) {
    const auto* numbers = readableIf<double>(object, Shape<3>{kAny, 4, 4});
    const pybind11::ssize_t count =
        numbers == nullptr ? 0 : pybind11::reinterpret_borrow<pybind11::array>(object).shape(0);
    return count > 0 && count <= most ? FewPoses{numbers, count} : FewPoses{};
  }
};

/// The part of `Asked` that is the same of all problems of one tip.
template <class Kind>
struct AskedOfOneTip {
  using Problem = Kind;
  static bool knowsNearestOnes(const Problem& /*problem*/) { return false; }
  static pybind11::ssize_t tips(const Problem& /*problem*/) { return 1; }
  static pybind11::ssize_t few(const Problem& problem) { return fewPosesOf(problem.form); }
  static const double* pose(const Problem& /*problem*/, pybind11::handle pose) {
    return tipIf(pose);
  }
};

/// solve_nearest(pose, seed_state, weights, limits, wanted, type, read, stages, start)
///
/// The first ones are what a caller has: None is returned for whatever is no array of a pose, of a
/// configuration inside the limits, of weights, or of consistency limits; and for several
/// solutions where only one is known to be the nearest.
template <class Asked>
PyObject* solveNearest(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  namespace py = pybind11;
  return returned([&]() -> py::object {
    checkCount(count, 5 + ResultParts::kCount);
    const auto& problem = problemOf<typename Asked::Problem>(self);
    const py::ssize_t size = Asked::size(problem);
    const auto wanted = py::handle(arguments[4]).cast<py::ssize_t>();
    checkWanted(wanted);
    if (wanted > 1 && (!Asked::knowsNearestOnes(problem) || arguments[3] != Py_None)) {
      return py::none();
    }
    const double* tips = Asked::pose(problem, arguments[0]);
    const auto* seed = readableIf<double>(arguments[1], Shape<1>{size});
    const JointWeights weights(arguments[2], size);
    const ConsistencyLimits near(arguments[3], size);
    if (tips == nullptr || seed == nullptr || weights.numbers() == nullptr ||
        !Asked::takes(problem, seed)) {
      return py::none();
    }
    py::object found =
        solveTargets<Asked>(problem, tips, 1, wanted, partsFrom(arguments + 5), true,
                            [&](const answers::Targets& target) {
                              Asked::answerNearest(problem, weights.numbers(), seed, target);
                              near.keepWithin(seed, target);
                            });
    return found.is(py::bool_(false)) ? py::object(py::none()) : found;
  });
}

/// solve_one(pose, wanted, world, random_seed, collides, type, read, stages, start)
///
/// Where too few solutions are shown to be free by spheres, Python decides on others.
/// None is returned for a pose that is none, as above; False for one that is left. One solution of
/// each of a few poses may be asked for as well, of one tip and without a world: more takes
/// several threads less time.
template <class Asked>
PyObject* solveOneTarget(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  namespace py = pybind11;
  return returned([&]() -> py::object {
    checkCount(count, 5 + ResultParts::kCount);
    const auto& problem = problemOf<typename Asked::Problem>(self);
    const auto wanted = py::handle(arguments[1]).cast<py::ssize_t>();
    checkWanted(wanted);
    const auto* world = py::handle(arguments[2]).cast<const CollisionWorld*>();
    const py::ssize_t size = Asked::size(problem);
    OneCall call = {wanted, checkOf(world, size), py::handle(arguments[3]).cast<std::uint64_t>()};
    if (world != nullptr) {
      call.collides = collidesBy(py::reinterpret_borrow<py::object>(arguments[4]));
    }
    FewPoses poses = {Asked::pose(problem, arguments[0]), 1};
    if (poses.numbers == nullptr && wanted == 1 && world == nullptr && Asked::tips(problem) == 1) {
      poses = FewPoses::of(arguments[0], Asked::few(problem));
    }
    if (poses.numbers == nullptr) {
      return py::none();
    }
    return solveTargets<Asked>(
        problem, poses.numbers, poses.count, wanted, partsFrom(arguments + 5), world == nullptr,
        [&](const answers::Targets& target) { Asked::answer(problem, call, target); });
  });
}

/// Notes, positions and errors of one target, see `answerOne`.
template <class Asked>
pybind11::object answerOneTarget(const typename Asked::Problem& problem,
                                 const pybind11::array& pose, pybind11::ssize_t wanted,
                                 std::uint64_t random_seed) {
  checkWanted(wanted);
  const double* tips = Asked::pose(problem, pose);
  require(tips != nullptr, "pose: expected (4, 4), or one for each tip");
  return answerOne(
      tips, wanted, Asked::size(problem),
      [&](const answers::Targets& target) {
        Asked::answer(problem, {wanted, {}, random_seed}, target);
      },
      Asked::tips(problem));
}

/// A method of positional arguments that is called without pybind11.
using FastMethod = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t);
void addMethod(const pybind11::object& type, const char* name, FastMethod method);

}  // namespace generative_ik::bindings

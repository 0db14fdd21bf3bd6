// What calls that closed forms answer have in common: their arrays, and when they end.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <answers/branch_problem.hpp>
#include <answers/targets.hpp>
#include <cstdint>
#include <string>
#include <vector>
#include <verify/pose_check.hpp>

#include "arrays.hpp"
#include "gil.hpp"

namespace generative_ik::bindings {

/// The numbers of an array of one dimension.
template <class Number>
std::vector<Number> numbersOf(const pybind11::array& array, const char* name) {
  const auto* numbers = readable<Number>(array, name, Shape<1>{kAny});
  return {numbers, numbers + array.size()};
}

/// Bounds of joints, from the rows of a box (5 or more, size). Args: circular: (size); joints:
/// Stages.joints, each (size); size: how many there are, if not as many as there is room for.
template <int kSize>
answers::BoundsOf<kSize> boundsOf(const pybind11::array& box, const pybind11::array& circular,
                                  const pybind11::tuple& joints, pybind11::ssize_t size = kSize) {
  answers::BoundsOf<kSize> bounds{};
  const auto* rows = readable<double>(box, "box", Shape<2>{kAny, size});
  if (box.shape(0) < 5) {
    throw pybind11::value_error("box: expected 5 rows or more");
  }
  std::copy_n(rows, size, bounds.lower);
  std::copy_n(rows + size, size, bounds.upper);
  std::copy_n(rows + 2 * size, size, bounds.soft_lower);
  std::copy_n(rows + 3 * size, size, bounds.soft_upper);
  std::copy_n(rows + 4 * size, size, bounds.reference);
  const Shape<1> each = {size};
  std::copy_n(readable<bool>(circular, "circular", each), size, bounds.circular);
  const Arrays from(joints, "joints", 4);
  std::copy_n(readable<double>(from.at(0), "joints.lower", each), size, bounds.lower_limit);
  std::copy_n(readable<double>(from.at(1), "joints.upper", each), size, bounds.upper_limit);
  std::copy_n(readable<bool>(from.at(2), "joints.periodic", each), size, bounds.periodic);
  std::copy_n(readable<double>(from.at(3), "joints.unit", each), size, bounds.unit);
  return bounds;
}

/// Rows of a call's arrays, and how many targets there are.
struct AnswerArrays {
  answers::Targets targets;
  std::int64_t count = 0;
};

/// Those of poses (T, 4, 4), and of notes (T, 5), positions (T, N, size) and errors (T, N, 2), the
/// answers; of several tips, of poses (T, G, 4, 4).
AnswerArrays answerArrays(const pybind11::array& poses, const pybind11::tuple& answers,
                          pybind11::ssize_t size, pybind11::ssize_t tips = 0);

/// Those of calls for one solution of each target.
AnswerArrays nearestArrays(const pybind11::array& poses, const pybind11::tuple& answers,
                           pybind11::ssize_t size);

/// The numbers of one pose, (4, 4) or (1, 4, 4); null if it is none.
const double* tipIf(pybind11::handle pose);

/// What joints count in the distance from a seed state: 1 where a caller does not say it.
class JointWeights {
 public:
  /// Args: weights: (size), finite, not negative, and not all 0; or None.
  JointWeights(pybind11::handle weights, pybind11::ssize_t size);
  /// Null if they are something else.
  [[nodiscard]] const double* numbers() const { return numbers_; }

 private:
  std::vector<double> ones_;  // of many joints
  const double* numbers_ = nullptr;
};

/// How far joints may be from a seed state (size), as far as a caller says it.
class ConsistencyLimits {
 public:
  /// Args: limits: (size) [rad or m], or None. Anything else leaves nothing inside.
  ConsistencyLimits(pybind11::handle limits, pybind11::ssize_t size);
  /// Leaves the solution of the first target to others if a joint is further from a seed state
  /// (size) than its limit, or that is not a number.
  void keepWithin(const double* seed, const answers::Targets& targets) const;

 private:
  bool any_;
  const double* limits_;
};

/// Throws ValueError for a number of solutions for which there is no memory.
void checkWanted(pybind11::ssize_t wanted);

/// Has `answer` write to a target whose note says nothing yet; returns whether it has solutions.
template <class Answer>
bool answerInto(const answers::Targets& target, const Answer& answer) {
  answers::Note& note = *target.notes;
  note = {};
  {
    const GilReleased released;
    answer(target);
  }
  return note.isDone() && note.count > 0;
}

/// New notes, positions and errors of one target, the pose (4, 4) of a tip or of several, for
/// `answer`, which writes to `answers::Targets`; None if one is no pose.
template <class Answer>
pybind11::object answerOne(const double* tip, pybind11::ssize_t wanted, pybind11::ssize_t size,
                           const Answer& answer, pybind11::ssize_t tips = 1) {
  namespace py = pybind11;
  constexpr py::ssize_t kNotes = sizeof(answers::Note) / sizeof(std::int64_t);
  if (!verify::arePoses(tip, tips)) {
    return py::none();
  }
  py::array positions = newArray<double>(Shape<3>{1, wanted, size});
  py::array errors = newArray<double>(Shape<3>{1, wanted, 2});
  py::array notes = newArray<std::int64_t>(Shape<2>{1, kNotes});
  const answers::Targets target = {tip,
                                   static_cast<answers::Note*>(notes.mutable_data()),
                                   static_cast<double*>(positions.mutable_data()),
                                   static_cast<verify::PoseGap*>(errors.mutable_data()),
                                   wanted,
                                   size,
                                   tips};
  answerInto(target, answer);
  return py::make_tuple(std::move(notes), std::move(positions), std::move(errors));
}

}  // namespace generative_ik::bindings

// The problem of a call: a chain and poses of its tip, or several goals.
#pragma once

#include <pybind11/numpy.h>

#include <cstdint>
#include <search/run_search.hpp>
#include <vector>

namespace generative_ik::bindings {

/// Views of the arrays of a packed problem, (floats, ints): nothing but their type is checked.
Packed packedOf(const pybind11::tuple& problem, const char* name = "problem");

inline std::vector<double> floatsOf(const Packed& packed) {
  return {packed.floats, packed.floats + packed.num_floats};
}

inline std::vector<std::int64_t> intsOf(const Packed& packed) {
  return {packed.ints, packed.ints + packed.num_ints};
}

/// The numbers of several goals.
search::GoalNumbers goalsOf(const Packed& packed);

/// What is searched for: poses of one tip, or goals.
struct Wanted {
  Packed packed;
  bool goals;
  search::GoalNumbers numbers;  ///< Of goals only.
  const double* poses;
  pybind11::ssize_t count;  ///< Of poses, or of the targets of goals.

  [[nodiscard]] search::TargetProblem problem() const {
    return {packed, goals ? &numbers : nullptr, poses};
  }
};

/// Checked: a problem of `size` joints, and its poses.
Wanted wantedOf(const Packed& packed, const pybind11::array& poses, pybind11::ssize_t size);

}  // namespace generative_ik::bindings

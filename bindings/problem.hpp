// The problem of a call: a chain and poses of its tip, or several goals.
#pragma once

#include <pybind11/numpy.h>

#include <search/goal_problem.hpp>

namespace generative_ik::bindings {

/// Views of packed arrays, of which nothing but the type is checked.
Packed packedOf(const pybind11::array& floats, const pybind11::array& ints);

/// The numbers of several goals.
search::GoalNumbers goalsOf(const Packed& packed);

/// What is searched for: poses of one tip, or goals.
struct Wanted {
  bool goals;
  search::GoalNumbers numbers;  ///< Of goals only.
  const double* poses;
  pybind11::ssize_t count;   ///< Of poses, or of the targets of goals.
  pybind11::ssize_t memory;  ///< Numbers that a search takes.
};

/// Checked: a problem of `size` joints, and its poses.
Wanted wantedOf(const Packed& packed, const pybind11::array& poses, pybind11::ssize_t size);

}  // namespace generative_ik::bindings

// A search's pool of solutions: the arrays of Python's SolutionPool.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <search/pool.hpp>
#include <search/state.hpp>
#include <string>

namespace generative_ik::bindings {

[[noreturn]] inline void refuse(const std::string& what) {
  throw pybind11::value_error(what);
}

inline void require(bool condition, const char* what) {
  if (!condition) {
    refuse(what);
  }
}

/// A pool, and how many targets it is of.
struct PoolOfTargets {
  search::Pool pool;
  pybind11::ssize_t count;
};

/// The pool of configurations (size) whose arrays these are, those of SolutionPool.
PoolOfTargets poolOf(const pybind11::tuple& arrays, pybind11::ssize_t size);

/// The box whose rows are those of an array (7 or more, size).
search::Box boxOf(const pybind11::array& rows, pybind11::ssize_t size);

/// What solutions are put into before a search for so many poses: its box, pool and records.
search::SearchArrays beginArrays(const pybind11::array& box, const pybind11::tuple& pool,
                                 pybind11::array& targets, search::Run& run,
                                 pybind11::ssize_t poses, pybind11::ssize_t size);

}  // namespace generative_ik::bindings

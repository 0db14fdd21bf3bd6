// The memory of a search.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <search/search_memory.hpp>
#include <string>
#include <vector>

namespace generative_ik::bindings {

[[noreturn]] inline void refuse(const std::string& what) {
  throw pybind11::value_error(what);
}

inline void require(bool condition, const char* what) {
  if (!condition) {
    refuse(what);
  }
}

/// The memory of a search in Python, and what makes its solutions distinct.
struct Memory {
  [[nodiscard]] search::Grid grid() const {
    return search::Grid::of(grid_floats.data(), grid_ints.data());
  }
  [[nodiscard]] search::Pool pool() const { return found.pool(grid()); }
  [[nodiscard]] search::SearchArrays arrays(const search::Box& box, search::Run& run) const {
    return found.arrays(box, grid(), run);
  }

  search::SearchMemory found;
  std::vector<double> grid_floats;
  std::vector<std::int64_t> grid_ints;
};

/// The box whose rows are those of an array (7 or more, size).
search::Box boxOf(const pybind11::array& rows, pybind11::ssize_t size);

}  // namespace generative_ik::bindings

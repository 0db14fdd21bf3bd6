/// Configurations, one after the other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace generative_ik::paths {

/// An array's index or length.
inline std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

/// Rows of as many numbers as there are variables [rad or m].
class Rows {
 public:
  explicit Rows(std::int64_t width, std::int64_t count = 0)
      : width_(width), numbers_(at(width * count)) {}
  Rows(std::int64_t width, const double* numbers, std::int64_t count)
      : width_(width), numbers_(numbers, numbers + width * count) {}

  [[nodiscard]] std::int64_t width() const { return width_; }
  [[nodiscard]] std::int64_t size() const {
    return static_cast<std::int64_t>(numbers_.size()) / width_;
  }
  [[nodiscard]] bool empty() const { return numbers_.empty(); }
  [[nodiscard]] double* operator[](std::int64_t i) { return numbers_.data() + i * width_; }
  [[nodiscard]] const double* operator[](std::int64_t i) const {
    return numbers_.data() + i * width_;
  }
  [[nodiscard]] const std::vector<double>& numbers() const { return numbers_; }

  void append(const double* row) { numbers_.insert(numbers_.end(), row, row + width_); }
  void append(const Rows& other) {
    numbers_.insert(numbers_.end(), other.numbers_.begin(), other.numbers_.end());
  }
  void set(std::int64_t i, const double* row) { std::copy_n(row, width_, (*this)[i]); }
  /// Leaves the first rows only.
  void cut(std::int64_t count) { numbers_.resize(at(width_ * count)); }
  /// The rows from `first` to before `last`.
  [[nodiscard]] Rows part(std::int64_t first, std::int64_t last) const {
    return {width_, (*this)[first], last - first};
  }
  [[nodiscard]] bool operator==(const Rows& other) const { return numbers_ == other.numbers_; }

 private:
  std::int64_t width_;
  std::vector<double> numbers_;
};

}  // namespace generative_ik::paths

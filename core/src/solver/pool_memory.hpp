/// The memory of the solutions of one target, which grows.
#pragma once

#include <cstdint>
#include <vector>

#include "../search/pool.hpp"
#include "../search/state.hpp"

namespace generative_ik {

class PoolMemory {
 public:
  /// Args: size: numbers of a configuration.
  explicit PoolMemory(std::int64_t size) : size_(size) {}

  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] std::int64_t capacity() const { return static_cast<std::int64_t>(notes_.size()); }

  /// Makes room for so many solutions, and a queue of so many null-space steps; what there is
  /// stays.
  void reserve(std::int64_t capacity, std::int64_t steps, const search::Grid& grid);

  /// Finds solutions in another grid from now on.
  void sortInto(const search::Grid& grid);

  [[nodiscard]] search::Pool view(const search::Grid& grid);
  [[nodiscard]] search::StepQueue queue() {
    return {queue_.data(), static_cast<std::int64_t>(queue_.size())};
  }

 private:
  std::int64_t size_;
  std::int64_t count_ = 0;
  std::vector<double> positions_;
  std::vector<search::SolutionNotes> notes_;
  std::vector<std::int64_t> visits_;
  std::vector<std::int32_t> heads_;
  std::vector<std::int32_t> before_;
  std::vector<search::Step> queue_;
};

}  // namespace generative_ik

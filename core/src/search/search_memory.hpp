/// The memory of a search: solutions of its targets, what is known of these, and steps to take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "../parallel/checkpoint.hpp"
#include "state.hpp"
#include "work.hpp"

namespace generative_ik::search {

/// How much there is room for.
struct Room {
  std::int64_t targets;     ///< T
  std::int64_t size;        ///< n, the numbers of a configuration.
  std::int64_t capacity;    ///< C, solutions of each target.
  std::int64_t looked_for;  ///< Those of them that are looked for, see `countBuckets`.
  std::int64_t steps;       ///< Q, null-space steps of each target that wait.
};

/// Gives a block of memory back: to searches to come, if it is large.
///
/// The system gives memory page by page, when a page is first read or written. Threads that search
/// wait for each other at every page then: on a virtual machine, two took as long as one.
struct BlockReturn {
  std::size_t size = 0;
  void operator()(std::byte* block) const;
};

class SearchMemory {
 public:
  /// No solution; of each target so many restarts to make, and a closest configuration (n). By all
  /// threads: memory that is used for the first time takes as long as many a search. Throws
  /// std::bad_alloc if there is no such memory.
  SearchMemory(const Room& room, std::int64_t restarts, const double* closest,
               const parallel::StopWhen& stop = {});

  /// Makes room for more solutions and steps of the one target; what there is stays.
  void grow(Room room, const Grid& grid);
  /// Finds the solutions of the one target in another grid from now on.
  void sortInto(const Grid& grid);

  [[nodiscard]] const Room& room() const { return room_; }
  [[nodiscard]] Pool pool(const Grid& grid) const;
  [[nodiscard]] Target& target(std::int64_t t) const { return targets_[t]; }
  /// (T)
  [[nodiscard]] Target* targets() const { return targets_; }
  /// (T, n)
  [[nodiscard]] double* closest() const { return closest_; }
  [[nodiscard]] std::int64_t count(std::int64_t t) const { return pool_.counts[t]; }
  /// How much work it was.
  [[nodiscard]] Work work() const { return workOf(targets_, pool_.counts, room_.targets); }
  /// The arrays of a search; those that it does not have are empty.
  [[nodiscard]] SearchArrays arrays(const Box& box, const Grid& grid, Run& run) const;

 private:
  explicit SearchMemory(const Room& room);  // of anything

  Room room_;
  std::unique_ptr<std::byte[], BlockReturn> block_;  // NOLINT(*-avoid-c-arrays): not cleared
  Pool pool_{};                                      // without its grid
  Step* steps_ = nullptr;
  Target* targets_ = nullptr;
  double* closest_ = nullptr;
};

}  // namespace generative_ik::search

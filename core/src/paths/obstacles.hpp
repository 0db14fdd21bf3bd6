/// What a path may collide with: compiled checks by their addresses.
#pragma once

#include <cstdint>
#include <generative_ik/collision_world.hpp>
#include <mutex>
#include <utility>
#include <vector>

namespace generative_ik::paths {

/// Checks of configurations and motions, by any number of threads at a time.
class Obstacles {
 public:
  /// Args: size: variables of a configuration. check: address of what returns a `Verdict`, given
  /// the address of a context and of a configuration, and the latter's size. contexts: one for each
  /// thread that checks at a time.
  Obstacles(std::int64_t size, std::int64_t check, std::vector<std::int64_t> contexts)
      : size_(size), check_(check), contexts_(std::move(contexts)) {}

  /// A context for one thread, and memory for a configuration.
  class Memory {
   public:
    /// Null: nothing is ever checked with it.
    explicit Memory(Obstacles* obstacles);
    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    Memory(Memory&&) = delete;
    Memory& operator=(Memory&&) = delete;

   private:
    friend class Obstacles;
    Obstacles* obstacles_;
    std::int64_t context_ = 0;
    std::vector<double> point_;
  };

  [[nodiscard]] Verdict check(const double* q, Memory& memory) const;

  /// The worst verdict on a straight motion in joint space, without its beginning; kInside and
  /// worse end the check. Between two points that are checked no joint moves further than its
  /// `resolution` (n) [rad or m].
  [[nodiscard]] Verdict checkMotion(const double* before, const double* after,
                                    const double* resolution, Memory& memory) const;

 private:
  std::int64_t size_;
  std::int64_t check_;
  std::vector<std::int64_t> contexts_;  // that no thread uses
  std::mutex mutex_;
};

}  // namespace generative_ik::paths

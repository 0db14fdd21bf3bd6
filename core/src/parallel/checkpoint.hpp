/// When work is left off before it is done: time is up, or whoever asked for it has interrupted
/// it.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>

namespace generative_ik::parallel {

using Clock = std::chrono::steady_clock;

/// When to begin no further piece, and to leave off a long one.
struct StopWhen {
  Clock::time_point deadline = Clock::time_point::max();
  /// Asked now and then by the caller's thread, if there is one; true: an interrupt has come.
  std::function<bool()> interrupted;

  [[nodiscard]] bool isLate() const {
    return deadline != Clock::time_point::max() && Clock::now() >= deadline;
  }
};

/// So many seconds from now; what is too long for the clock is no deadline.
Clock::time_point after(double seconds);

/// How long the caller's thread works on before it asks for an interrupt.
inline constexpr std::chrono::milliseconds kBetweenQuestions(20);

/// What a thread asks, between pieces of work and now and then in long ones, whether to leave off.
class Checkpoint {
 public:
  /// Args: ended: what all threads of a call share: set once an interrupt has come, or by a piece
  /// that failed. asks: whether this thread is the caller's, which asks for interrupts.
  Checkpoint(const StopWhen& stop, std::atomic<bool>& ended, bool asks)
      : stop_(stop), ended_(ended), asks_(asks && stop.interrupted), asked_(Clock::now()) {}

  /// Whether to leave off. Takes as long as a reading of the clock, some 30 ns.
  [[nodiscard]] bool isOver();

 private:
  const StopWhen& stop_;
  std::atomic<bool>& ended_;
  bool asks_;
  Clock::time_point asked_;
};

}  // namespace generative_ik::parallel

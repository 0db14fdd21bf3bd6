/// A deadline on the steady clock.
#pragma once

#include <algorithm>
#include <chrono>

namespace generative_ik {

/// The system's and ROS's clocks may jump, and simulated time stops when it is paused.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  /// Args: seconds from now [s]; negative or NaN: already passed. Limited to one day.
  explicit Deadline(double seconds)
      : end_(Clock::now() +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
                 seconds > 0.0 ? std::min(seconds, kLongest) : 0.0))) {}

  /// One that nobody waits for: a day from now.
  static Deadline never() { return Deadline(kLongest); }

  [[nodiscard]] Clock::time_point end() const { return end_; }

  /// Remaining time [s], never negative.
  [[nodiscard]] double remaining() const {
    return std::max(0.0, std::chrono::duration<double>(end_ - Clock::now()).count());
  }

  [[nodiscard]] bool passed() const { return Clock::now() >= end_; }

  /// A deadline after this fraction (0 to 1) of the remaining time.
  [[nodiscard]] Deadline after(double share) const { return Deadline(share * remaining()); }

 private:
  static constexpr double kLongest = 86400.0;
  Clock::time_point end_;
};

}  // namespace generative_ik

// A number of seconds in; the moment on the steady clock when they are over, and what is left,
// out.
#pragma once

#include <algorithm>
#include <chrono>

namespace generative_ik {

// Never the system's or ROS's time: both jump, and simulated time stands still when paused.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  // Args: seconds from now [s]; negative: already over. More than a day counts as a day.
  explicit Deadline(double seconds)
      : end_(Clock::now() +
             std::chrono::duration_cast<Clock::duration>(
                 std::chrono::duration<double>(std::clamp(seconds, 0.0, kLongest)))) {}

  [[nodiscard]] Clock::time_point end() const { return end_; }

  // Time left [s], never negative.
  [[nodiscard]] double remaining() const {
    return std::max(0.0, std::chrono::duration<double>(end_ - Clock::now()).count());
  }

  [[nodiscard]] bool passed() const { return Clock::now() >= end_; }

  // A deadline when this share (0 to 1) of the time left is used up.
  [[nodiscard]] Deadline after(double share) const { return Deadline(share * remaining()); }

 private:
  static constexpr double kLongest = 86400.0;
  Clock::time_point end_;
};

}  // namespace generative_ik

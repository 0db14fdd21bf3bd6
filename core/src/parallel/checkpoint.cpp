#include "checkpoint.hpp"

#include <algorithm>

namespace generative_ik::parallel {

Clock::time_point after(double seconds) {
  constexpr double kForever = 1e9;
  if (!(seconds < kForever)) {
    return Clock::time_point::max();
  }
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(std::max(seconds, 0.0)));
}

bool Checkpoint::isOver() {
  if (ended_.load(std::memory_order_relaxed)) {
    return true;
  }
  const auto now = Clock::now();
  if (asks_ && now - asked_ >= kBetweenQuestions) {
    asked_ = now;
    if (stop_.interrupted()) {
      ended_ = true;
      return true;
    }
  }
  return now >= stop_.deadline;
}

}  // namespace generative_ik::parallel

#include "loop.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <ctime>
#include <system_error>
#include <utility>
#include <vector>

namespace generative_ik_servo {
namespace {

constexpr long kNanoseconds = 1'000'000'000;

void sleepUntil(double time) {
  const double seconds = std::floor(time);
  timespec until{};
  until.tv_sec = static_cast<std::time_t>(seconds);
  until.tv_nsec = std::min(static_cast<long>((time - seconds) * kNanoseconds), kNanoseconds - 1);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

// Of numbers in order, as numpy has it.
double quantile(const std::vector<double>& numbers, double share) {
  const double place = share * static_cast<double>(numbers.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, numbers.size() - 1);
  return numbers[below] + (place - std::floor(place)) * (numbers[above] - numbers[below]);
}

std::string errorText(int error) {
  return std::generic_category().message(error);
}

}  // namespace

double steadyNow() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / kNanoseconds;
}

void Lateness::add(double late, bool skipped) {
  const std::uint64_t count = count_.load(std::memory_order_relaxed);
  late_[count % kKept].store(static_cast<float>(late), std::memory_order_relaxed);
  count_.store(count + 1, std::memory_order_release);
  if (skipped) {
    skipped_.fetch_add(1, std::memory_order_relaxed);
  }
}

Lateness::Quantiles Lateness::quantiles() const {
  const std::uint64_t count = count_.load(std::memory_order_acquire);
  std::vector<double> late(std::min<std::uint64_t>(count, kKept));
  if (late.empty()) {
    return {};
  }
  for (std::size_t i = 0; i < late.size(); ++i) {
    late[i] = static_cast<double>(late_[i].load(std::memory_order_relaxed));
  }
  std::sort(late.begin(), late.end());
  return {quantile(late, 0.5), quantile(late, 0.99), late.back()};
}

std::string Loop::start(Tick tick, const LoopOptions& options, Lateness& lateness) {
  join();
  std::string refused;
  if (options.lock_memory && mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
    refused = "memory cannot be locked: " + errorText(errno);
  }
  running_ = true;
  thread_ = std::thread([this, tick = std::move(tick), &lateness] { run(tick, lateness); });
  if (options.priority > 0) {
    sched_param priority{};
    priority.sched_priority = options.priority;
    const int error = pthread_setschedparam(thread_.native_handle(), SCHED_FIFO, &priority);
    if (error != 0) {
      refused +=
          (refused.empty() ? "" : "; ") + ("no priority " + std::to_string(options.priority) +
                                           " of SCHED_FIFO: " + errorText(error));
    }
  }
  return refused;
}

void Loop::join() {
  if (thread_.joinable()) {
    thread_.join();
  }
}

void Loop::run(const Tick& tick, Lateness& lateness) {
  double due = steadyNow();
  double period = tick(due);
  while (period > 0.0) {
    due += period;
    sleepUntil(due);
    const double late = steadyNow() - due;
    const bool skipped = late > period;
    if (skipped) {  // the arm waits for what is late; it never hurries after it
      due += late;
    }
    lateness.add(std::max(late, 0.0), skipped);
    period = tick(steadyNow());
  }
  running_ = false;
}

}  // namespace generative_ik_servo

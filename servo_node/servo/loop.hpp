// Calls a function once a period, on a thread of its own and a steady clock.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

namespace generative_ik_servo {

// The steady clock that the loop keeps to [s].
double steadyNow();

// How late periods began, of the latest ones; any thread may ask.
class Lateness {
 public:
  // By the loop alone: a period began so late [s], and others were left out before it or not.
  void add(double late, bool skipped);

  struct Quantiles {
    double p50 = 0.0;
    double p99 = 0.0;
    double max = 0.0;
  };
  [[nodiscard]] Quantiles quantiles() const;  // [s]

  [[nodiscard]] std::uint64_t skipped() const { return skipped_; }

 private:
  static constexpr std::size_t kKept = 5000;

  std::array<std::atomic<float>, kKept> late_{};
  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::uint64_t> skipped_{0};
};

// How the loop's thread runs.
struct LoopOptions {
  int priority = 0;          // by SCHED_FIFO; 0: as other threads
  bool lock_memory = false;  // whether all of the process's memory is kept from being paged out
};

// A period that begins late is not caught up: the next ones are as far apart as ever.
class Loop {
 public:
  // What is called at a time [s]; it returns the time until the next call [s], 0 to end.
  using Tick = std::function<double(double now)>;

  Loop() = default;
  ~Loop() { join(); }
  Loop(const Loop&) = delete;
  Loop(Loop&&) = delete;
  Loop& operator=(const Loop&) = delete;
  Loop& operator=(Loop&&) = delete;

  // Begins, after the end of what was begun before. Returns what was asked for and not allowed, in
  // words; empty: nothing.
  std::string start(Tick tick, const LoopOptions& options, Lateness& lateness);

  // Whether there is a thread that has not ended.
  [[nodiscard]] bool running() const { return running_; }

  // Waits for the end.
  void join();

 private:
  void run(const Tick& tick, Lateness& lateness);

  std::thread thread_;
  std::atomic<bool> running_{false};
};

}  // namespace generative_ik_servo

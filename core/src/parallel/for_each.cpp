#include "for_each.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#ifdef __linux__
#include <pthread.h>
#include <sched.h>
#endif

namespace generative_ik::parallel {
namespace {

using Clock = std::chrono::steady_clock;

// How long the caller's thread works on before it asks for an interrupt.
constexpr std::chrono::milliseconds kBetweenQuestions(20);

/// A call of `forEach`, which threads may find to be over when they come to it.
class Job {
 public:
  Job(std::int64_t count, const std::function<void(std::int64_t)>& work, const StopWhen& stop)
      : count_(count), work_(work), stop_(stop) {}

  /// Takes pieces until there are none left, if the caller is still there.
  void help() {
    {
      const std::lock_guard lock(mutex_);
      if (over_) {
        return;
      }
      ++helpers_;
    }
    drain(false);
    const std::lock_guard lock(mutex_);
    --helpers_;
    helper_gone_.notify_one();
  }

  /// The same by the caller's thread, which then waits for the others.
  void finish() {
    drain(true);
    std::unique_lock lock(mutex_);
    over_ = true;
    helper_gone_.wait(lock, [this] { return helpers_ == 0; });
    if (error_) {
      std::rethrow_exception(error_);
    }
  }

 private:
  void drain(bool by_caller) {
    try {
      auto asked = Clock::now();
      while (!ended_.load(std::memory_order_relaxed)) {
        const std::int64_t piece = next_.fetch_add(1, std::memory_order_relaxed);
        const auto now = Clock::now();
        if (piece >= count_ || now >= stop_.deadline) {
          break;
        }
        work_(piece);
        if (by_caller && stop_.interrupted && now - asked >= kBetweenQuestions) {
          asked = now;
          ended_ = stop_.interrupted();
        }
      }
    } catch (...) {
      ended_ = true;
      const std::lock_guard lock(mutex_);
      if (!error_) {
        error_ = std::current_exception();
      }
    }
  }

  std::int64_t count_;
  const std::function<void(std::int64_t)>& work_;
  const StopWhen& stop_;
  std::atomic<std::int64_t> next_{0};
  std::atomic<bool> ended_{false};
  std::mutex mutex_;
  std::condition_variable helper_gone_;
  int helpers_ = 0;
  bool over_ = false;
  std::exception_ptr error_;
};

/// Threads that wait for jobs as long as the process lives.
class Helpers {
 public:
  explicit Helpers(int count) {
    for (int i = 0; i < count; ++i) {
      std::thread([this] { serve(); }).detach();
    }
  }

  void ask(const std::shared_ptr<Job>& job, std::int64_t threads) {
    {
      const std::lock_guard lock(mutex_);
      jobs_.insert(jobs_.end(), static_cast<std::size_t>(threads), job);
    }
    for (std::int64_t i = 0; i < threads; ++i) {
      asked_.notify_one();
    }
  }

 private:
  [[noreturn]] void serve() {
    for (;;) {
      std::unique_lock lock(mutex_);
      asked_.wait(lock, [this] { return !jobs_.empty(); });
      const std::shared_ptr<Job> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job->help();
    }
  }

  std::mutex mutex_;
  std::condition_variable asked_;
  std::deque<std::shared_ptr<Job>> jobs_;
};

// Never deleted, for threads may outlive static objects. NOLINTNEXTLINE(*-non-const-global*)
std::atomic<Helpers*> helpers_of_process{nullptr};

Helpers& helpers() {
  static const int after_fork = [] {
#ifdef __linux__
    // A forked process has none of its parent's threads.
    return pthread_atfork(nullptr, nullptr, [] { helpers_of_process = nullptr; });
#else
    return 0;
#endif
  }();
  static_cast<void>(after_fork);
  static std::mutex making;
  if (helpers_of_process == nullptr) {
    const std::lock_guard lock(making);
    if (helpers_of_process == nullptr) {
      helpers_of_process = new Helpers(usableCores() - 1);  // NOLINT(*-owning-memory)
    }
  }
  return *helpers_of_process;
}

}  // namespace

int usableCores() {
#ifdef __linux__
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) {
    return std::max(1, CPU_COUNT(&cores));
  }
#endif
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

void forEach(std::int64_t count, const std::function<void(std::int64_t)>& work,
             const StopWhen& stop) {
  const auto job = std::make_shared<Job>(count, work, stop);
  const std::int64_t others = std::min<std::int64_t>(usableCores() - 1, count - 1);
  if (others > 0) {
    helpers().ask(job, others);
  }
  job->finish();
}

}  // namespace generative_ik::parallel

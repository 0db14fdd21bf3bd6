#include "for_each.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#ifdef __GLIBCXX__
#include <cxxabi.h>
#endif
#ifdef __linux__
#include <pthread.h>
#include <sched.h>
#endif

namespace generative_ik::parallel {
namespace {

/// A call of `forEach`, which threads may find to be over when they come to it.
class Job {
 public:
  Job(std::int64_t count, const Work& work, const StopWhen& stop)
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
    Checkpoint checkpoint(stop_, ended_, false);
    drain(checkpoint);
    const std::lock_guard lock(mutex_);
    --helpers_;
    helper_gone_.notify_one();
  }

  /// The same by the caller's thread, which then waits for the others.
  void finish() {
    Checkpoint checkpoint(stop_, ended_, true);
    drain(checkpoint);
    std::unique_lock lock(mutex_);
    over_ = true;
    const auto alone = [this] { return helpers_ == 0; };
    while (!helper_gone_.wait_for(lock, kBetweenQuestions, alone)) {
      lock.unlock();
      guarded(count_, [&checkpoint] { static_cast<void>(checkpoint.isOver()); });
      lock.lock();
    }
  }

  /// Throws what a piece has thrown, once the job is over. Nothing of it is left to a thread that
  /// comes late: it may belong to an interpreter.
  void rethrow() {
    if (error_) {
      std::rethrow_exception(std::exchange(error_, nullptr));
    }
  }

 private:
  void drain(Checkpoint& checkpoint) {
    std::int64_t piece = 0;
    guarded(piece, [this, &checkpoint, &piece] {
      while (!checkpoint.isOver()) {
        piece = next_.fetch_add(1, std::memory_order_relaxed);
        if (piece >= count_) {
          break;
        }
        work_(piece, checkpoint);
      }
    });
  }

  // Keeps the exception of the first piece that throws one for the caller.
  template <class Action>
  void guarded(const std::int64_t& piece, const Action& action) {
    try {
      action();
#ifdef __GLIBCXX__
    } catch (const abi::__forced_unwind&) {
      throw;  // an interpreter that ends has the thread exit
#endif
    } catch (...) {
      ended_ = true;
      const std::lock_guard lock(mutex_);
      if (!error_ || piece < failed_) {
        error_ = std::current_exception();
        failed_ = piece;
      }
    }
  }

  std::int64_t count_;
  const Work& work_;
  const StopWhen& stop_;
  std::atomic<std::int64_t> next_{0};
  std::atomic<bool> ended_{false};
  std::mutex mutex_;
  std::condition_variable helper_gone_;
  int helpers_ = 0;
  bool over_ = false;
  std::exception_ptr error_;
  std::int64_t failed_ = 0;
};

/// Threads that wait for jobs as long as the process lives.
class Helpers {
 public:
  explicit Helpers(int count) {
    try {
      for (; count_ < count; ++count_) {
        std::thread([this] { serve(); }).detach();
      }
    } catch (const std::system_error&) {
      // The process may have no more threads: those that there are do the work.
      return;
    }
  }

  void ask(const std::shared_ptr<Job>& job, std::int64_t threads) {
    const std::int64_t some = std::min(threads, count_);
    {
      const std::lock_guard lock(mutex_);
      jobs_.insert(jobs_.end(), static_cast<std::size_t>(some), job);
    }
    for (std::int64_t i = 0; i < some; ++i) {
      asked_.notify_one();
    }
  }

  /// Forgets a job that is over, for which no thread may have had time.
  void forget(const std::shared_ptr<Job>& job) {
    const std::lock_guard lock(mutex_);
    std::erase(jobs_, job);
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

  std::int64_t count_ = 0;
  std::mutex mutex_;
  std::condition_variable asked_;
  std::deque<std::shared_ptr<Job>> jobs_;
};

/// The helpers of this process. Neither is ever deleted, for threads may outlive static objects.
struct OfProcess {
  std::mutex making;
  std::atomic<Helpers*> helpers{nullptr};
};

OfProcess& ofProcess() {
  static OfProcess* const of_process = [] {
    auto* made = new OfProcess;  // NOLINT(*-owning-memory)
#ifdef __linux__
    // A forked process has none of its parent's threads. Nobody makes any while it is forked, for
    // the lock would be held in it for ever.
    static_cast<void>(pthread_atfork([] { ofProcess().making.lock(); },
                                     [] { ofProcess().making.unlock(); },
                                     [] {
                                       ofProcess().helpers = nullptr;
                                       ofProcess().making.unlock();
                                     }));
#endif
    return made;
  }();
  return *of_process;
}

Helpers& helpers() {
  OfProcess& of_process = ofProcess();
  if (of_process.helpers == nullptr) {
    const std::lock_guard lock(of_process.making);
    if (of_process.helpers == nullptr) {
      of_process.helpers = new Helpers(usableCores() - 1);  // NOLINT(*-owning-memory)
    }
  }
  return *of_process.helpers;
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

void forEach(std::int64_t count, const Work& work, const StopWhen& stop) {
  const auto job = std::make_shared<Job>(count, work, stop);
  const std::int64_t others = count > 1 ? std::min<std::int64_t>(usableCores() - 1, count - 1) : 0;
  if (others <= 0) {
    job->finish();
    job->rethrow();
    return;
  }
  Helpers& all = helpers();
  all.ask(job, others);
  job->finish();
  all.forget(job);
  job->rethrow();
}

}  // namespace generative_ik::parallel

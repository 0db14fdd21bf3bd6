// The interpreter's lock: given up while the core works, and taken back where Python decides.
//
// Until Python 3.13, a thread that asks for it while the interpreter ends is unwound where it
// stands, through destructors that must not be left so, and the process aborts. Here it waits
// instead, as it does since Python 3.14: the process ends without it. (Python itself throws
// nothing, so that what is caught here is that unwinding.)
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <exception>
#include <thread>

namespace generative_ik::bindings {

[[noreturn]] inline void waitForTheEnd() {
  while (true) {
    std::this_thread::sleep_for(std::chrono::hours(1));
  }
}

/// Gives the lock up for as long as it lives.
class GilReleased {
 public:
  GilReleased() : thread_(PyEval_SaveThread()) {}
  GilReleased(const GilReleased&) = delete;
  GilReleased& operator=(const GilReleased&) = delete;
  GilReleased(GilReleased&&) = delete;
  GilReleased& operator=(GilReleased&&) = delete;
  ~GilReleased() {
    try {
      PyEval_RestoreThread(thread_);
    } catch (...) {
      waitForTheEnd();
    }
  }

 private:
  PyThreadState* thread_;
};

/// What a function returns that works without the lock.
template <class Function>
auto withoutGil(const Function& function) {
  const GilReleased released;
  return function();
}

/// Holds the lock for as long as it lives, on any thread.
class GilHeld {
 public:
  GilHeld() : state_(ensured()) {}
  GilHeld(const GilHeld&) = delete;
  GilHeld& operator=(const GilHeld&) = delete;
  GilHeld(GilHeld&&) = delete;
  GilHeld& operator=(GilHeld&&) = delete;
  ~GilHeld() { PyGILState_Release(state_); }

 private:
  static PyGILState_STATE ensured() {
    try {
      return PyGILState_Ensure();
    } catch (...) {
      waitForTheEnd();
    }
  }

  PyGILState_STATE state_;
};

/// Calls a function that needs the lock: Python code in it may have to wait for it again.
template <class Function>
auto withGil(const Function& function) {
  const GilHeld held;
  try {
    return function();
  } catch (const std::exception&) {
    throw;
  } catch (...) {
    waitForTheEnd();
  }
}

}  // namespace generative_ik::bindings

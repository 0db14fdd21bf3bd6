// The newest value of one thread for another one.
#pragma once

#include <array>
#include <atomic>

namespace generative_ik_servo {

// Neither thread ever waits: the writer fills one of three buffers, the reader keeps another, and
// the third goes from hand to hand. What is written before it is taken is replaced.
template <class Value>
class Handover {
 public:
  explicit Handover(const Value& first = Value()) : buffers_{first, first, first} {}

  // By the writer alone.
  void write(const Value& value) {
    buffers_[draft_] = value;
    draft_ = shared_.exchange(draft_ | kNew, std::memory_order_acq_rel) & kPlace;
  }

  // By the reader alone: what was written last, if that is new; it stays until the next call.
  const Value* take() {
    if ((shared_.load(std::memory_order_relaxed) & kNew) == 0) {
      return nullptr;
    }
    kept_ = shared_.exchange(kept_, std::memory_order_acq_rel) & kPlace;
    return &buffers_[kept_];
  }

  // By the reader alone: what was taken last; at first, what all began with.
  [[nodiscard]] const Value& last() const { return buffers_[kept_]; }

 private:
  static constexpr unsigned kNew = 4;
  static constexpr unsigned kPlace = 3;

  std::array<Value, 3> buffers_;
  std::atomic<unsigned> shared_{1};
  unsigned draft_ = 0;
  unsigned kept_ = 2;
};

}  // namespace generative_ik_servo

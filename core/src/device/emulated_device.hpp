/// The kernels on the CPU, thread by thread: what tests run where there is no GPU.
#pragma once

#include <atomic>

#include "device.hpp"

namespace generative_ik::device {

/// A device whose memory is the process's. It gives the results of a GPU but for rounding, and is
/// no faster way to solve anything.
class EmulatedDevice final : public Device {
 public:
  /// Args: memory: bytes that may be allocated at a time.
  explicit EmulatedDevice(std::size_t memory = kEndless) : left_(memory) {}

  [[nodiscard]] std::string name() const override { return "emulated on the CPU"; }
  [[nodiscard]] bool isEmulated() const override { return true; }
  [[nodiscard]] void* allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override;
  void write(void* to, const void* from, std::size_t bytes) override;
  void clear(void* memory, std::size_t bytes) override;
  void read(void* to, const void* from, std::size_t bytes) override;
  void waitForOthers() override {}
  void launch(Kernel kernel, const void* task, std::int64_t threads) override;

 private:
  static constexpr std::size_t kEndless = ~std::size_t{0};
  std::atomic<std::size_t> left_;  // memory is released by whichever thread has done with it
};

}  // namespace generative_ik::device

/// A device that runs the kernels of `core/cuda`: a GPU, or the CPU in its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "kernels.hpp"

namespace generative_ik::device {

/// What a device has failed at; the message says which call, and why.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// There is no such device, or nothing to run it with.
class NoDeviceError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// Its memory is not enough; less may be.
class OutOfMemoryError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// Runs kernels one after the other. Addresses are those of its memory. One call uses it at a
/// time.
class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  Device(Device&&) = delete;
  Device& operator=(Device&&) = delete;
  virtual ~Device() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  /// Whether its memory is the process's.
  [[nodiscard]] virtual bool isEmulated() const = 0;

  /// Throws OutOfMemoryError.
  [[nodiscard]] virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;

  /// Copies to its memory; `from` may change again when the next `read` has returned.
  virtual void write(void* to, const void* from, std::size_t bytes) = 0;
  virtual void clear(void* memory, std::size_t bytes) = 0;
  /// Copies from its memory, when all that was begun before is done.
  virtual void read(void* to, const void* from, std::size_t bytes) = 0;

  /// Waits for all that others have begun in its memory.
  virtual void waitForOthers() = 0;

  /// Begins a kernel: so many threads, each with the same task.
  virtual void launch(Kernel kernel, const void* task, std::int64_t threads) = 0;
};

/// Memory of a device, as long as it lives.
class DeviceMemory {
 public:
  DeviceMemory(Device& device, std::size_t bytes)
      : device_(device), bytes_(bytes), address_(device.allocate(bytes)) {}
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  DeviceMemory(DeviceMemory&&) = delete;
  DeviceMemory& operator=(DeviceMemory&&) = delete;
  ~DeviceMemory() { device_.release(address_); }

  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::byte* address() const { return static_cast<std::byte*>(address_); }

 private:
  Device& device_;
  std::size_t bytes_;
  void* address_;
};

}  // namespace generative_ik::device

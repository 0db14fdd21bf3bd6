/// A GPU, through the functions of NVIDIA's driver.
#pragma once

#include <memory>
#include <vector>

#include "device.hpp"

namespace generative_ik::device {

/// The functions of the driver that are used, found when a device is first asked for: nothing is
/// linked, so that a machine without the driver has the same library.
struct CudaDriver;

/// One GPU. Its kernels come from a fat binary that nvcc made, of which the driver takes the code
/// for the device's architecture, or compiles the PTX.
class CudaDevice final : public Device {
 public:
  /// Args: fat_binary: what `nvcc -fatbin` has written. index: of the device, as CUDA counts them.
  /// library: the driver.
  /// Throws NoDeviceError: there is no driver, no such device, or no kernel for it.
  explicit CudaDevice(std::vector<char> fat_binary, int index = 0,
                      const char* library = kDriverLibrary);
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;
  CudaDevice(CudaDevice&&) = delete;
  CudaDevice& operator=(CudaDevice&&) = delete;
  ~CudaDevice() override;

  static constexpr const char* kDriverLibrary = "libcuda.so.1";

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] bool isEmulated() const override { return false; }
  [[nodiscard]] void* allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override;
  void write(void* to, const void* from, std::size_t bytes) override;
  void clear(void* memory, std::size_t bytes) override;
  void read(void* to, const void* from, std::size_t bytes) override;
  void waitForOthers() override;
  void launch(Kernel kernel, const void* task, std::int64_t threads) override;

 private:
  class Current;

  // Throws what a result of the driver means, unless it is success.
  void check(int result, const char* what) const;
  void open(int index);
  void load();

  std::unique_ptr<CudaDriver> driver_;
  std::vector<char> fat_binary_;
  std::string name_;
  int device_ = 0;
  void* context_ = nullptr;
  void* module_ = nullptr;
  void* stream_ = nullptr;
  std::array<void*, kNumKernels> functions_{};
};

}  // namespace generative_ik::device

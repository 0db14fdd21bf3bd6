// What talks to NVIDIA's driver, with a driver whose device is the CPU.
#include "../src/device/cuda_device.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>

#include "../src/device/emulated_device.hpp"
#include "device_problem.hpp"
#include "robots.hpp"

namespace generative_ik::device {
namespace {

using test::DeviceProblem;
using test::solveOn;

std::vector<char> image(const std::string& text = "kernels") {
  return {text.begin(), text.end()};
}

class CudaDevices : public ::testing::Test {
 protected:
  CudaDevices() : driver_(dlopen(FAKE_DRIVER, RTLD_NOW)) {}
  ~CudaDevices() override { fail(""); }

  void SetUp() override { ASSERT_NE(driver_, nullptr) << dlerror(); }

  // Lets a function of the driver fail after so many calls.
  void fail(const char* function, int result = 0, long after = 0) const {
    find<void(const char*, int, long)>("fakeDriverFail")(function, result, after);
  }
  void limitMemory(std::size_t bytes) const { find<void(std::size_t)>("fakeDriverMemory")(bytes); }
  [[nodiscard]] long allocations() const { return find<long()>("fakeDriverAllocations")(); }

  static std::unique_ptr<Device> device() {
    return std::make_unique<CudaDevice>(image(), 0, FAKE_DRIVER);
  }

 private:
  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(driver_, name));  // NOLINT(*-reinterpret-cast)
  }

  void* driver_;
};

TEST_F(CudaDevices, SolveAsTheEmulatedOne) {
  const DeviceProblem problem(test::panda(), 30);
  DeviceSearch emulated(std::make_unique<EmulatedDevice>());
  const auto expected = solveOn(emulated, problem, 2);
  {
    DeviceSearch search(device());
    EXPECT_EQ(search.device().name(), "Fake");
    const auto found = solveOn(search, problem, 2);
    EXPECT_EQ(found.counts, expected.counts);
    EXPECT_EQ(found.positions, expected.positions);
    EXPECT_EQ(allocations(), 1);
  }
  EXPECT_EQ(allocations(), 0);
}

TEST_F(CudaDevices, SayWhatIsMissing) {
  EXPECT_THROW(CudaDevice(image(), 0, "libno_such_driver.so"), NoDeviceError);
  EXPECT_THROW(CudaDevice(image(), 1, FAKE_DRIVER), NoDeviceError);
  EXPECT_THROW(CudaDevice(image("something else"), 0, FAKE_DRIVER), NoDeviceError);
  // A library without the driver's functions.
  EXPECT_THROW(CudaDevice(image(), 0, "libm.so.6"), NoDeviceError);
  fail("cuInit", 100);
  EXPECT_THROW(device(), NoDeviceError);
}

TEST_F(CudaDevices, AreLostWithAnErrorAndNothingElse) {
  const DeviceProblem problem(test::panda(), 5);
  constexpr int kLost = 719;
  for (const char* function :
       {"cuLaunchKernel", "cuStreamSynchronize", "cuMemcpyHtoD", "cuMemcpyDtoH", "cuMemsetD8"}) {
    {
      DeviceSearch search(device());
      fail(function, kLost, 0);
      try {
        solveOn(search, problem, 1);
        FAIL() << function;
      } catch (const OutOfMemoryError&) {
        FAIL() << function;
      } catch (const DeviceError& error) {
        EXPECT_NE(std::string(error.what()).find("failed on Fake: a failure of the test"),
                  std::string::npos)
            << error.what();
      }
      fail("");
    }
    EXPECT_EQ(allocations(), 0);
  }
}

TEST_F(CudaDevices, TakeSmallerPiecesWhereMemoryIsShort) {
  const DeviceProblem problem(test::panda(), 2500);
  SearchSizes sizes;
  sizes.threads = 1024;
  sizes.enough_for_one = 2;
  DeviceSearch emulated(std::make_unique<EmulatedDevice>(), sizes);
  DeviceSearch search(device(), sizes);
  limitMemory(500'000);
  const auto found = solveOn(search, problem, 1);
  EXPECT_GT(std::count(found.counts.begin(), found.counts.end(), 1), 1200);
  limitMemory(10'000);
  DeviceSearch none(device(), sizes);
  EXPECT_THROW(solveOn(none, problem, 1), OutOfMemoryError);
  limitMemory(~std::size_t{0});
}

}  // namespace
}  // namespace generative_ik::device

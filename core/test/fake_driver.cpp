// The functions of NVIDIA's driver that a CudaDevice uses, with the CPU as the only device: a test
// loads it in the place of libcuda.so.1.
//
// An image is one if it begins with "kernels". `fakeDriverFail` says from which call on a function
// fails, and with what.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "../src/device/kernels.hpp"

namespace {

constexpr int kSuccess = 0;
constexpr int kOutOfMemory = 2;
constexpr int kInvalidImage = 200;
constexpr int kNoDevice = 100;
constexpr int kNotFound = 500;
constexpr int kNoContext = 201;

// NOLINTBEGIN(*-avoid-non-const-global-variables): what a driver has
std::string failing;
int failure = 0;
long calls_left = 0;
std::size_t memory_left = ~std::size_t{0};
int contexts = 0;
long allocations = 0;
// NOLINTEND(*-avoid-non-const-global-variables)

// What a function returns that has nothing wrong to report.
int resultOf(const char* function) {
  if (failing == function && --calls_left < 0) {
    return failure;
  }
  return contexts > 0 ? kSuccess : kNoContext;
}

// NOLINTBEGIN(*-reinterpret-cast,performance-no-int-to-ptr): a device's addresses are numbers
void* pointerOf(unsigned long long memory) {
  return reinterpret_cast<void*>(memory);
}

}  // namespace

extern "C" {

// Lets a function fail after so many calls; empty: none.
[[gnu::visibility("default")]] void fakeDriverFail(const char* function, int result, long after) {
  failing = function;
  failure = result;
  calls_left = after;
}
[[gnu::visibility("default")]] void fakeDriverMemory(std::size_t bytes) {
  memory_left = bytes;
}
[[gnu::visibility("default")]] long fakeDriverAllocations() {
  return allocations;
}

[[gnu::visibility("default")]] int cuInit(unsigned /*flags*/) {
  return failing == "cuInit" ? failure : kSuccess;
}
[[gnu::visibility("default")]] int cuGetErrorString(int result, const char** text) {
  *text = result == kOutOfMemory ? "out of memory" : "a failure of the test";
  return kSuccess;
}
[[gnu::visibility("default")]] int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? kSuccess : kNoDevice;
}
[[gnu::visibility("default")]] int cuDeviceGetName(char* name, int length, int /*device*/) {
  std::strncpy(name, "Fake", static_cast<std::size_t>(length));
  return kSuccess;
}
[[gnu::visibility("default")]] int cuDevicePrimaryCtxRetain(void** context, int /*device*/) {
  *context = &contexts;
  return kSuccess;
}
[[gnu::visibility("default")]] int cuDevicePrimaryCtxRelease_v2(int /*device*/) {
  return kSuccess;
}
[[gnu::visibility("default")]] int cuCtxPushCurrent_v2(void* context) {
  ++contexts;
  return context == &contexts ? kSuccess : kNoContext;
}
[[gnu::visibility("default")]] int cuCtxPopCurrent_v2(void** context) {
  --contexts;
  *context = &contexts;
  return kSuccess;
}
[[gnu::visibility("default")]] int cuCtxSynchronize() {
  return resultOf("cuCtxSynchronize");
}
[[gnu::visibility("default")]] int cuModuleLoadData(void** module, const void* image) {
  *module = &failing;
  return std::memcmp(image, "kernels", 7) == 0 ? resultOf("cuModuleLoadData") : kInvalidImage;
}
[[gnu::visibility("default")]] int cuModuleUnload(void* /*module*/) {
  return kSuccess;
}
[[gnu::visibility("default")]] int cuModuleGetFunction(void** function, void* /*module*/,
                                                       const char* name) {
  for (const auto& entry : generative_ik::device::kernelTable()) {
    if (std::strcmp(entry.name, name) == 0) {
      *function = const_cast<generative_ik::device::KernelEntry*>(&entry);  // NOLINT
      return resultOf("cuModuleGetFunction");
    }
  }
  return kNotFound;
}
[[gnu::visibility("default")]] int cuStreamCreate(void** stream, unsigned /*flags*/) {
  *stream = &memory_left;
  return resultOf("cuStreamCreate");
}
[[gnu::visibility("default")]] int cuStreamDestroy_v2(void* /*stream*/) {
  return kSuccess;
}
[[gnu::visibility("default")]] int cuStreamSynchronize(void* stream) {
  return stream == &memory_left ? resultOf("cuStreamSynchronize") : kNoContext;
}
[[gnu::visibility("default")]] int cuMemAlloc_v2(unsigned long long* memory, std::size_t bytes) {
  if (bytes > memory_left) {
    return kOutOfMemory;
  }
  ++allocations;
  *memory = reinterpret_cast<unsigned long long>(std::malloc(bytes));  // NOLINT
  return resultOf("cuMemAlloc");
}
[[gnu::visibility("default")]] int cuMemFree_v2(unsigned long long memory) {
  --allocations;
  std::free(pointerOf(memory));  // NOLINT
  return kSuccess;
}
[[gnu::visibility("default")]] int cuMemcpyHtoDAsync_v2(unsigned long long to, const void* from,
                                                        std::size_t bytes, void* /*stream*/) {
  std::memcpy(pointerOf(to), from, bytes);
  return resultOf("cuMemcpyHtoD");
}
[[gnu::visibility("default")]] int cuMemcpyDtoHAsync_v2(void* to, unsigned long long from,
                                                        std::size_t bytes, void* /*stream*/) {
  std::memcpy(to, pointerOf(from), bytes);
  return resultOf("cuMemcpyDtoH");
}
[[gnu::visibility("default")]] int cuMemsetD8Async(unsigned long long memory, unsigned char value,
                                                   std::size_t bytes, void* /*stream*/) {
  std::memset(pointerOf(memory), value, bytes);
  return resultOf("cuMemsetD8");
}
// NOLINTNEXTLINE(readability-function-size): as the driver has it
[[gnu::visibility("default")]] int cuLaunchKernel(void* function, unsigned grid_x,
                                                  unsigned /*grid_y*/, unsigned /*grid_z*/,
                                                  unsigned block_x, unsigned /*block_y*/,
                                                  unsigned /*block_z*/, unsigned /*shared*/,
                                                  void* /*stream*/, void** parameters,
                                                  void** /*extra*/) {
  const auto* entry = static_cast<const generative_ik::device::KernelEntry*>(function);
  const long threads = *static_cast<const long*>(parameters[1]);
  const long launched = static_cast<long>(grid_x) * block_x;
  // As a kernel does: threads beyond the last one have nothing to do.
  for (long thread = 0; thread < std::min(launched, threads); ++thread) {
    entry->on_cpu(parameters[0], thread);
  }
  return resultOf("cuLaunchKernel");
}

}  // extern "C"
// NOLINTEND(*-reinterpret-cast,performance-no-int-to-ptr)

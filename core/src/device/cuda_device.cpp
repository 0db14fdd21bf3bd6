#include "cuda_device.hpp"

#include <dlfcn.h>

#include <limits>

namespace generative_ik::device {

// Types and names are those of cuda.h: a result is an enumeration, a device a number, a pointer of
// device memory a number of 64 bits, and everything else an opaque pointer.
using DevicePointer = unsigned long long;  // NOLINT(google-runtime-int)

struct CudaDriver {
  explicit CudaDriver(const char* name) : library(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
    if (library == nullptr) {
      throw NoDeviceError(std::string("no CUDA driver: ") + dlerror());
    }
  }
  CudaDriver(const CudaDriver&) = delete;
  CudaDriver& operator=(const CudaDriver&) = delete;
  CudaDriver(CudaDriver&&) = delete;
  CudaDriver& operator=(CudaDriver&&) = delete;
  // The driver has threads of its own, and stays.
  ~CudaDriver() = default;

  template <class Function>
  void find(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(dlsym(library, name));  // NOLINT(*-reinterpret-cast)
    if (function == nullptr) {
      throw NoDeviceError(std::string("the CUDA driver has no function ") + name);
    }
  }

  void findAll() {
    find(init, "cuInit");
    find(getErrorString, "cuGetErrorString");
    find(deviceGet, "cuDeviceGet");
    find(deviceGetName, "cuDeviceGetName");
    find(contextRetain, "cuDevicePrimaryCtxRetain");
    find(contextRelease, "cuDevicePrimaryCtxRelease_v2");
    find(contextPush, "cuCtxPushCurrent_v2");
    find(contextPop, "cuCtxPopCurrent_v2");
    find(contextSynchronize, "cuCtxSynchronize");
    find(moduleLoad, "cuModuleLoadData");
    find(moduleUnload, "cuModuleUnload");
    find(moduleFunction, "cuModuleGetFunction");
    find(streamCreate, "cuStreamCreate");
    find(streamDestroy, "cuStreamDestroy_v2");
    find(streamSynchronize, "cuStreamSynchronize");
    find(allocate, "cuMemAlloc_v2");
    find(free, "cuMemFree_v2");
    find(copyToDevice, "cuMemcpyHtoDAsync_v2");
    find(copyToHost, "cuMemcpyDtoHAsync_v2");
    find(set, "cuMemsetD8Async");
    find(launch, "cuLaunchKernel");
  }

  void* library;
  int (*init)(unsigned flags) = nullptr;
  int (*getErrorString)(int result, const char** text) = nullptr;
  int (*deviceGet)(int* device, int ordinal) = nullptr;
  int (*deviceGetName)(char* name, int length, int device) = nullptr;
  int (*contextRetain)(void** context, int device) = nullptr;
  int (*contextRelease)(int device) = nullptr;
  int (*contextPush)(void* context) = nullptr;
  int (*contextPop)(void** context) = nullptr;
  int (*contextSynchronize)() = nullptr;
  int (*moduleLoad)(void** module, const void* image) = nullptr;
  int (*moduleUnload)(void* module) = nullptr;
  int (*moduleFunction)(void** function, void* module, const char* name) = nullptr;
  int (*streamCreate)(void** stream, unsigned flags) = nullptr;
  int (*streamDestroy)(void* stream) = nullptr;
  int (*streamSynchronize)(void* stream) = nullptr;
  int (*allocate)(DevicePointer* memory, std::size_t bytes) = nullptr;
  int (*free)(DevicePointer memory) = nullptr;
  int (*copyToDevice)(DevicePointer to, const void* from, std::size_t bytes,
                      void* stream) = nullptr;
  int (*copyToHost)(void* to, DevicePointer from, std::size_t bytes, void* stream) = nullptr;
  int (*set)(DevicePointer memory, unsigned char value, std::size_t bytes, void* stream) = nullptr;
  int (*launch)(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                void* stream, void** parameters, void** extra) = nullptr;
};

namespace {

constexpr int kSuccess = 0;
constexpr int kOutOfMemory = 2;
// CU_STREAM_NON_BLOCKING: the stream does not wait for what others do in the default one.
constexpr unsigned kNonBlocking = 1;

// NOLINTBEGIN(*-reinterpret-cast): the driver's pointers are numbers
DevicePointer numberOf(const void* memory) {
  return reinterpret_cast<DevicePointer>(memory);
}
void* pointerOf(DevicePointer memory) {
  return reinterpret_cast<void*>(memory);  // NOLINT(performance-no-int-to-ptr)
}
// NOLINTEND(*-reinterpret-cast)

}  // namespace

/// The device's context is the thread's for as long as this lives.
class CudaDevice::Current {
 public:
  explicit Current(const CudaDevice& device) : driver_(*device.driver_) {
    device.check(driver_.contextPush(device.context_), "cuCtxPushCurrent");
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  Current(Current&&) = delete;
  Current& operator=(Current&&) = delete;
  ~Current() {
    void* context = nullptr;
    driver_.contextPop(&context);
  }

 private:
  const CudaDriver& driver_;
};

CudaDevice::CudaDevice(std::vector<char> fat_binary, int index, const char* library)
    : driver_(std::make_unique<CudaDriver>(library)), fat_binary_(std::move(fat_binary)) {
  driver_->findAll();
  open(index);
  try {
    load();
  } catch (...) {
    driver_->contextRelease(device_);
    throw;
  }
}

CudaDevice::~CudaDevice() {
  // What fails here has nobody to tell; a device that is lost fails at all of it.
  if (driver_->contextPush(context_) == kSuccess) {
    driver_->streamDestroy(stream_);
    driver_->moduleUnload(module_);
    void* context = nullptr;
    driver_->contextPop(&context);
  }
  driver_->contextRelease(device_);
}

void CudaDevice::open(int index) {
  if (driver_->init(0) != kSuccess || driver_->deviceGet(&device_, index) != kSuccess) {
    throw NoDeviceError("there is no CUDA device " + std::to_string(index));
  }
  std::array<char, 256> text{};
  check(driver_->deviceGetName(text.data(), static_cast<int>(text.size()), device_),
        "cuDeviceGetName");
  name_ = text.data();
  if (const int result = driver_->contextRetain(&context_, device_); result != kSuccess) {
    check(result, "cuDevicePrimaryCtxRetain");
  }
}

void CudaDevice::load() {
  const Current current(*this);
  if (const int result = driver_->moduleLoad(&module_, fat_binary_.data()); result != kSuccess) {
    const char* text = nullptr;
    driver_->getErrorString(result, &text);
    throw NoDeviceError("no kernels for " + name_ + ": " + (text != nullptr ? text : "unknown"));
  }
  for (std::size_t k = 0; k < kNumKernels; ++k) {
    check(driver_->moduleFunction(&functions_.at(k), module_, kernelTable().at(k).name),
          kernelTable().at(k).name);
  }
  check(driver_->streamCreate(&stream_, kNonBlocking), "cuStreamCreate");
}

void CudaDevice::check(int result, const char* what) const {
  if (result == kSuccess) {
    return;
  }
  const char* text = nullptr;
  driver_->getErrorString(result, &text);
  const std::string message = std::string(what) + " failed on " + name_ + ": " +
                              (text != nullptr ? text : "error " + std::to_string(result));
  if (result == kOutOfMemory) {
    throw OutOfMemoryError(message);
  }
  throw DeviceError(message);
}

void* CudaDevice::allocate(std::size_t bytes) {
  const Current current(*this);
  DevicePointer memory = 0;
  check(driver_->allocate(&memory, bytes), "cuMemAlloc");
  return pointerOf(memory);
}

void CudaDevice::release(void* memory) noexcept {
  if (driver_->contextPush(context_) == kSuccess) {
    driver_->free(numberOf(memory));
    void* context = nullptr;
    driver_->contextPop(&context);
  }
}

void CudaDevice::write(void* to, const void* from, std::size_t bytes) {
  const Current current(*this);
  check(driver_->copyToDevice(numberOf(to), from, bytes, stream_), "cuMemcpyHtoD");
}

void CudaDevice::clear(void* memory, std::size_t bytes) {
  const Current current(*this);
  check(driver_->set(numberOf(memory), 0, bytes, stream_), "cuMemsetD8");
}

void CudaDevice::read(void* to, const void* from, std::size_t bytes) {
  const Current current(*this);
  check(driver_->copyToHost(to, numberOf(from), bytes, stream_), "cuMemcpyDtoH");
  check(driver_->streamSynchronize(stream_), "cuStreamSynchronize");
}

void CudaDevice::waitForOthers() {
  const Current current(*this);
  check(driver_->contextSynchronize(), "cuCtxSynchronize");
}

void CudaDevice::launch(Kernel kernel, const void* task, std::int64_t threads) {
  const std::int64_t blocks = (threads + kThreadsOfBlock - 1) / kThreadsOfBlock;
  if (blocks == 0) {
    return;
  }
  if (blocks > std::numeric_limits<int>::max()) {
    throw DeviceError("a kernel cannot have so many threads");
  }
  const Current current(*this);
  // The driver copies the parameters, whose sizes it knows.
  std::array<void*, 2> parameters = {const_cast<void*>(task), &threads};  // NOLINT(*-const-cast)
  const std::size_t k = static_cast<std::size_t>(kernel);
  check(driver_->launch(functions_.at(k), static_cast<unsigned>(blocks), 1, 1, kThreadsOfBlock, 1,
                        1, 0, stream_, parameters.data(), nullptr),
        kernelTable().at(k).name);
}

}  // namespace generative_ik::device

#include "emulated_device.hpp"

#include <cstdlib>
#include <cstring>

#include "../parallel/for_each.hpp"

namespace generative_ik::device {
namespace {

// As far from the address that was allocated as numbers of any type need.
constexpr std::size_t kHeader = 64;
// Threads that are run one after the other.
constexpr std::int64_t kPiece = 64;

}  // namespace

void* EmulatedDevice::allocate(std::size_t bytes) {
  if (bytes > left_) {
    throw OutOfMemoryError("emulated device: out of memory");
  }
  const std::size_t whole = (bytes + 2 * kHeader - 1) / kHeader * kHeader;
  void* memory = std::aligned_alloc(kHeader, whole);
  if (memory == nullptr) {
    throw OutOfMemoryError("emulated device: out of memory");
  }
  std::memcpy(memory, &bytes, sizeof bytes);
  left_ -= bytes;
  return static_cast<std::byte*>(memory) + kHeader;
}

void EmulatedDevice::release(void* memory) noexcept {
  std::byte* whole = static_cast<std::byte*>(memory) - kHeader;
  std::size_t bytes = 0;
  std::memcpy(&bytes, whole, sizeof bytes);
  left_ += bytes;
  std::free(whole);  // NOLINT(*-no-malloc,*-owning-memory)
}

void EmulatedDevice::write(void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}

void EmulatedDevice::clear(void* memory, std::size_t bytes) {
  std::memset(memory, 0, bytes);
}

void EmulatedDevice::read(void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}

void EmulatedDevice::launch(Kernel kernel, const void* task, std::int64_t threads) {
  const KernelEntry& entry = kernelTable().at(static_cast<std::size_t>(kernel));
  const auto run = [&entry, task](std::int64_t first, std::int64_t last) {
    for (std::int64_t thread = first; thread < last; ++thread) {
      entry.on_cpu(task, thread);
    }
  };
  parallel::forRanges(threads, kPiece, run, {});
}

}  // namespace generative_ik::device

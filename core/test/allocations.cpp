#include "allocations.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// Of sanitizers, whose header GCC does not install everywhere.
extern "C" int __sanitizer_install_malloc_and_free_hooks(  // NOLINT(*-reserved-identifier)
    void (*allocated)(const volatile void*, std::size_t), void (*freed)(const volatile void*));
#endif

namespace {

thread_local long counter = 0;  // NOLINT(*-avoid-non-const-global-variables)

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

void countAllocation(const volatile void* /*memory*/, std::size_t /*size*/) {
  ++counter;
}
void ignoreRelease(const volatile void* /*memory*/) {}

// Sanitizers have operators of their own, and tell of allocations.
[[maybe_unused]] const int hooks =
    __sanitizer_install_malloc_and_free_hooks(&countAllocation, &ignoreRelease);

}  // namespace

#else

void* counted(std::size_t size, std::size_t alignment) {
  ++counter;
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

}  // namespace

// Where GCC 12 compiles them into a caller, it takes new and free for a mismatch.
// NOLINTBEGIN(*-no-malloc,*-owning-memory,misc-new-delete-overloads)
[[gnu::noinline]] void* operator new(std::size_t size) {
  return counted(size, alignof(std::max_align_t));
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/,
                                       std::align_val_t /*align*/) noexcept {
  std::free(memory);
}
// NOLINTEND(*-no-malloc,*-owning-memory,misc-new-delete-overloads)

#endif

namespace generative_ik::test {

long allocations() {
  return counter;
}

}  // namespace generative_ik::test

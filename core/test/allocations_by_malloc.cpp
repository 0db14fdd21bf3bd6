// For tests without sanitizers: Eigen calls malloc, not operator new. These are in the way of
// those of the C library, for plugins as well.
#include <cstddef>

#include "allocations.hpp"

namespace {

thread_local long counter = 0;  // NOLINT(*-avoid-non-const-global-variables)

}  // namespace

extern "C" {
// NOLINTBEGIN(*-reserved-identifier)
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
// NOLINTEND(*-reserved-identifier)

void* malloc(std::size_t size) {
  ++counter;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++counter;
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
  ++counter;
  return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++counter;
  return __libc_memalign(alignment, size);
}
}

namespace generative_ik::test {

long allocations() {
  return counter;
}

}  // namespace generative_ik::test

// Allocations by operator new, or, with sanitizers and by allocations_by_malloc.cpp, by malloc,
// which Eigen calls.
#pragma once

namespace generative_ik::test {

// Of this thread, since it began.
long allocations();

}  // namespace generative_ik::test

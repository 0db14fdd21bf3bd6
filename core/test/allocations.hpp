// Allocations by operator new; with sanitizers, those by malloc, which Eigen calls, as well.
#pragma once

namespace generative_ik::test {

// Of this thread, since it began.
long allocations();

}  // namespace generative_ik::test

// Closed forms, for a set of instructions.
#include "../simd/compiled_set.hpp"
#include "kernels_of.hpp"

namespace generative_ik {

ClosedFormKernels closedFormKernels(simd::CompiledSet) {
  return closedFormKernelsOf<simd::CompiledLanes>();
}

}  // namespace generative_ik

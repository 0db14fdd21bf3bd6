// The local solvers' iterations, for a set of instructions.
#include "../simd/compiled_set.hpp"
#include "kernel_of.hpp"

namespace generative_ik {

LaneKernel laneKernel(simd::CompiledSet) {
  return laneKernelOf<simd::CompiledLanes>(simd::CompiledSet::kName);
}

}  // namespace generative_ik

// Farthest-first traversal and manipulability, for a set of instructions.
#include "../simd/compiled_set.hpp"
#include "farthest_first.hpp"
#include "manipulability.hpp"

namespace generative_ik {

FarthestFirstKernel farthestFirst(simd::CompiledSet) {
  return farthestFirst<simd::CompiledLanes, simd::CompiledFloats>;
}

ManipulabilityKernel manipulability(simd::CompiledSet) {
  return manipulabilityOfRows<simd::CompiledLanes>;
}

}  // namespace generative_ik

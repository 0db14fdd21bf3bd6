// How far joints of branches can move, for a set of instructions.
#include "../simd/compiled_set.hpp"
#include "sensitivity_kernel.hpp"

namespace generative_ik::answers {

SensitivityKernel sensitivity(simd::CompiledSet) {
  return sensitivityOf<simd::CompiledLanes>;
}

}  // namespace generative_ik::answers

// How far joints of branches can move, for the registers that every processor has.
#include "../sensitivity_kernel.hpp"

namespace generative_ik::answers {

SensitivityKernel sensitivity(simd::Baseline) {
  return sensitivityOf<simd::Lanes<2>>;
}

}  // namespace generative_ik::answers

// How far joints of branches can move, for AVX2.
#include "../sensitivity_kernel.hpp"

namespace generative_ik::answers {

SensitivityKernel sensitivity(simd::Avx2) {
  return sensitivityOf<simd::Lanes<4>>;
}

}  // namespace generative_ik::answers

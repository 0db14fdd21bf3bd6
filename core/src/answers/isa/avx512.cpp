// How far joints of branches can move, for AVX-512.
#include "../sensitivity_kernel.hpp"

namespace generative_ik::answers {

SensitivityKernel sensitivity(simd::Avx512) {
  return sensitivityOf<simd::Lanes<8>>;
}

}  // namespace generative_ik::answers

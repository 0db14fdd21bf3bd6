// Verification for the registers that every processor has.
#include "../measure.hpp"

namespace generative_ik::verify {

MeasureKernel measureBaseline() {
  return measureRows<simd::Lanes<2>>;
}

}  // namespace generative_ik::verify

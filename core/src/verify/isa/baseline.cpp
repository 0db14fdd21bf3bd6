// Verification for the registers that every processor has.
#include "../measure.hpp"
#include "../place.hpp"

namespace generative_ik::verify {

MeasureKernel measure(simd::Baseline) {
  return measureRows<simd::Lanes<2>>;
}

MeasureOneKernel measureOne(simd::Baseline) {
  return measureRow<simd::Lanes<2>>;
}

PlaceKernel place(simd::Baseline) {
  return placeRows<simd::Lanes<2>>;
}

}  // namespace generative_ik::verify

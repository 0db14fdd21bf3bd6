// Verification for AVX2.
#include "../measure.hpp"
#include "../place.hpp"

namespace generative_ik::verify {

MeasureKernel measure(simd::Avx2) {
  return measureRows<simd::Lanes<4>>;
}

MeasureOneKernel measureOne(simd::Avx2) {
  return measureRow<simd::Lanes<4>>;
}

PlaceKernel place(simd::Avx2) {
  return placeRows<simd::Lanes<4>>;
}

}  // namespace generative_ik::verify

// Verification for AVX-512.
#include "../measure.hpp"
#include "../place.hpp"

namespace generative_ik::verify {

MeasureKernel measure(simd::Avx512) {
  return measureRows<simd::Lanes<8>>;
}

MeasureOneKernel measureOne(simd::Avx512) {
  return measureRow<simd::Lanes<8>>;
}

PlaceKernel place(simd::Avx512) {
  return placeRows<simd::Lanes<8>>;
}

}  // namespace generative_ik::verify

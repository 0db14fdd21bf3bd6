// Verification for AVX-512.
#include "../measure.hpp"
#include "../place.hpp"

namespace generative_ik::verify {

MeasureKernel measureAvx512() {
  return measureRows<simd::Lanes<8>>;
}

PlaceKernel placeAvx512() {
  return placeRows<simd::Lanes<8>>;
}

}  // namespace generative_ik::verify

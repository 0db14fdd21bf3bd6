// Verification for AVX2.
#include "../measure.hpp"
#include "../place.hpp"

namespace generative_ik::verify {

MeasureKernel measureAvx2() {
  return measureRows<simd::Lanes<4>>;
}

PlaceKernel placeAvx2() {
  return placeRows<simd::Lanes<4>>;
}

}  // namespace generative_ik::verify

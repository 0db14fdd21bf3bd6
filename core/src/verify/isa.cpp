// Verification, for a set of instructions.
#include "../simd/compiled_set.hpp"
#include "measure.hpp"
#include "place.hpp"

namespace generative_ik::verify {

MeasureKernel measure(simd::CompiledSet) {
  return measureRows<simd::CompiledLanes>;
}

MeasureOneKernel measureOne(simd::CompiledSet) {
  return measureRow<simd::CompiledLanes>;
}

PlaceKernel place(simd::CompiledSet) {
  return placeRows<simd::CompiledLanes>;
}

}  // namespace generative_ik::verify

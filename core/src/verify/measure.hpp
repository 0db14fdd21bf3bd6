/// Configurations measured side by side, as a template over the number type.
#pragma once

#include "verifier.hpp"

namespace generative_ik::verify {

template <class Number>
void measureRows(const RodriguesChain& chain, const Configurations& rows, PoseGap* gaps) {
  constexpr int kAtOnce = simd::kWidth<Number>;
  for (std::int64_t first = 0; first < rows.count; first += kAtOnce) {
    // The last row fills the lanes behind it.
    const auto row_in = [&rows, first](int k) {
      return first + k < rows.count ? first + k : rows.count - 1;
    };
    const auto value_of = [&](std::int64_t v) {
      return simd::lanesOf<Number>(
          [&](int k) { return rows.positions[row_in(k) * rows.stride + v]; });
    };
    const auto target_of = [&](int i, int j) {
      const int at = 4 * i + j;
      if (rows.target_of_row == nullptr) {
        return Number(rows.targets[at]);
      }
      return simd::lanesOf<Number>(
          [&](int k) { return rows.targets[16 * rows.target_of_row[row_in(k)] + at]; });
    };
    Number distance = 0.0;
    Number chord = 0.0;
    squaredGaps(placeTip<Number>(chain, value_of), target_of, distance, chord);
    for (int k = 0; k < kAtOnce && first + k < rows.count; ++k) {
      gaps[first + k] = gapOfSquares(simd::lane(distance, k), simd::lane(chord, k));
    }
  }
}

/// Measures one configuration by doubles; `Lanes` are those of the set of instructions.
template <class Lanes>
PoseGap measureRow(const RodriguesChain& chain, const double* q, const double* target) {
  double distance = 0.0;
  double chord = 0.0;
  squaredGaps(
      placeTip<double>(chain, [q](std::int64_t v) { return q[v]; }),
      [target](int i, int j) { return target[4 * i + j]; }, distance, chord);
  return gapOfSquares(distance, chord);
}

}  // namespace generative_ik::verify

/// Tips placed side by side, as a template over the number type.
#pragma once

#include "placer.hpp"

namespace generative_ik::verify {

/// Writes a frame in a lane as a pose (4, 4).
template <class Number>
GENERATIVE_IK_INLINE void writePose(const Frame<Number>& frame, int lane, double* pose) {
  const auto write_row = [&frame, lane, pose](int i, const Number& origin) {
    const Vector3<Number>& row = frame.rows[i];
    pose[4 * i] = simd::lane(row.x, lane);
    pose[4 * i + 1] = simd::lane(row.y, lane);
    pose[4 * i + 2] = simd::lane(row.z, lane);
    pose[4 * i + 3] = simd::lane(origin, lane);
  };
  write_row(0, frame.origin.x);
  write_row(1, frame.origin.y);
  write_row(2, frame.origin.z);
  pose[12] = pose[13] = pose[14] = 0.0;
  pose[15] = 1.0;
}

template <class Number>
void placeRows(const RodriguesChain& chain, const PlacedRows& rows, double* poses) {
  constexpr int kAtOnce = simd::kWidth<Number>;
  for (std::int64_t first = 0; first < rows.count; first += kAtOnce) {
    // The last row fills the lanes behind it.
    const auto row_in = [&rows, first](int k) {
      return first + k < rows.count ? first + k : rows.count - 1;
    };
    const Frame<Number> tip = placeTip<Number>(chain, [&](std::int64_t v) {
      return simd::lanesOf<Number>(
          [&](int k) { return rows.positions[row_in(k) * rows.size + v]; });
    });
    for (int k = 0; k < kAtOnce && first + k < rows.count; ++k) {
      writePose(tip, k, poses + 16 * (first + k));
    }
  }
}

}  // namespace generative_ik::verify

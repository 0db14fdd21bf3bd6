/// The inverse of the flows' splines, monotonic and rational quadratic (C. Durkan et al., Neural
/// spline flows, 2019), of single precision numbers side by side.
#pragma once

#include "../simd/float_math.hpp"
#include "chunk.hpp"

namespace generative_ik::learned {

/// What the splines of a trained flow keep to (learned/ikflow/flow.py).
inline constexpr float kLeastBin = 1e-3F;
inline constexpr float kLeastSlope = 1e-3F;
/// Softplus makes a slope of 1 of it.
inline constexpr float kUnitSlope = 0.539742417F;

/// Replaces the logits of a softmax by their exponentials; returns what makes shares of them.
template <class Seeds, class Floats = typename Seeds::Floats>
GENERATIVE_IK_INLINE Floats binSizes(const Seeds& seeds, float* rows, std::int64_t bins) {
  Floats most = Floats::load(rows);
  for (std::int64_t k = 1; k < bins; ++k) {
    most = larger(most, Floats::load(rows + k * seeds.stride));
  }
  Floats total = 0.0F;
  for (std::int64_t k = 0; k < bins; ++k) {
    const Floats part = simd::exponential(Floats::load(rows + k * seeds.stride) - most);
    part.store(rows + k * seeds.stride);
    total = total + part;
  }
  return (1.0F - kLeastBin * static_cast<float>(bins)) / total;
}

/// What the inverse of a spline makes of points of [0, 1]; widths and heights are overwritten.
///
/// Args: rows: (3 bins + 1) coefficients, a row each: widths, heights, slopes at the bins' lower
/// ends, then the slope at 1 or, of a circle, its rotation in full turns.
template <class Seeds, class Floats = typename Seeds::Floats>
GENERATIVE_IK_INLINE Floats invertedSpline(const Seeds& seeds, Floats point, float* rows,
                                           bool circular, std::int64_t bins) {
  const auto number = [&seeds, rows](std::int64_t k) {
    return Floats::load(rows + k * seeds.stride);
  };
  const std::int64_t heights = bins;
  const std::int64_t slopes = 2 * bins;
  if (circular) {
    point = point - number(3 * bins);
    point = point - simd::floorOf(point);
  }
  const Floats per_width = binSizes(seeds, rows, bins);
  const Floats per_height = binSizes(seeds, rows + heights * seeds.stride, bins);
  const auto width_of = [&](std::int64_t k) { return kLeastBin + per_width * number(k); };
  const auto height_of = [&](std::int64_t k) {
    return kLeastBin + per_height * number(heights + k);
  };
  // The bin of the point, by going through all of them: where it begins, and what it is.
  Floats begin = 0.0F;
  Floats start = 0.0F;
  Floats width = width_of(0);
  Floats height = height_of(0);
  Floats low = number(slopes);
  Floats high = number(slopes + 1);
  Floats across = width;
  Floats up = height;
  for (std::int64_t k = 1; k < bins; ++k) {
    const Floats wide = width_of(k);
    const Floats tall = height_of(k);
    const auto below = point < up;
    low = select(below, low, number(slopes + k));
    high = select(below, high, number(circular && k == bins - 1 ? slopes : slopes + k + 1));
    begin = select(below, begin, across);
    width = select(below, width, wide);
    height = select(below, height, tall);
    start = select(below, start, up);
    across = across + wide;
    up = up + tall;
  }
  const Floats lower = kLeastSlope + simd::softplus(low + kUnitSlope);
  const Floats upper = kLeastSlope + simd::softplus(high + kUnitSlope);
  const Floats mean = height / width;
  const Floats rise = point - start;
  const Floats bend = rise * (lower + upper - 2.0F * mean);
  const Floats a = bend + height * (mean - lower);
  const Floats b = height * lower - bend;
  const Floats c = -(mean * rise);
  const Floats zero = 0.0F;
  const Floats one = 1.0F;
  const Floats root = simd::squareRoot(larger(b * b - 4.0F * a * c, zero));
  const Floats t = simd::clamp(2.0F * c / (-b - root), zero, one);
  return simd::clamp(begin + t * width, zero, one);
}

}  // namespace generative_ik::learned

/// Farthest-first traversal as a template over the number type.
#pragma once

#include "../simd/angles.hpp"
#include "../simd/float_lanes.hpp"
#include "../simd/masks.hpp"
#include "diverse_order.hpp"

namespace generative_ik {

/// Writes the coordinates of solutions, and returns the one furthest from its limits. Turning
/// joints take two, cosine and sine of their angle; others take one.
template <class Number>
std::int64_t writeCoordinates(const DiverseRows& solutions, const OrderRows& rows) {
  constexpr int kAtOnce = simd::kWidth<Number>;
  const std::int64_t step = rows.stride * solutions.size;
  const std::int64_t last = rows.count - 1;
  float* margins = rows.numbers + (rows.dimensions + 1) * rows.padded;
  for (std::int64_t s = 0; s < rows.count; ++s) {
    margins[s] = __builtin_inff();
  }
  float* row = rows.numbers;
  for (std::int64_t v = 0; v < solutions.size; ++v) {
    const double* q = solutions.positions + v;
    const double per_unit = 1.0 / solutions.unit[v];
    const bool turning = solutions.turning[v];
    for (std::int64_t s = 0; s < rows.count; s += kAtOnce) {
      // The last solution fills the lanes behind it, for which there is room.
      const Number x =
          simd::lanesOf<Number>([&](int k) { return q[(s + k < last ? s + k : last) * step]; });
      const Number margin =
          simd::smaller(x - solutions.lower[v], solutions.upper[v] - x) * per_unit;
      float singles[kAtOnce];  // NOLINT(*-avoid-c-arrays)
      simd::storeSingle(singles, margin);
      for (int k = 0; k < kAtOnce; ++k) {
        margins[s + k] = simd::smaller(margins[s + k], singles[k]);
      }
      if (turning) {
        const simd::Angle<Number> angle = simd::angleOf(x);
        simd::storeSingle(row + s, angle.cosine);
        simd::storeSingle(row + rows.padded + s, angle.sine);
      } else {
        // Seen from the first, so that single precision does for long ways, too.
        simd::storeSingle(row + s, (x - q[0]) * per_unit);
      }
    }
    row += (turning ? 2 : 1) * rows.padded;
  }
  std::int64_t first = 0;
  for (std::int64_t s = 1; s < rows.count; ++s) {
    first = margins[s] > margins[first] ? s : first;
  }
  return first;
}

/// In each lane the largest gap so far, and in which register of a row it is.
template <class Number>
struct FurthestInLanes {
  Number gap = -1.0F;
  Number at = 0.0F;
};

/// Brings the gaps in so many registers, from solution s on, up to date: one was taken. The
/// squared distance of a and b is |a|^2 + |b|^2 - 2 a b; sums of several registers side by side do
/// not wait for each other.
template <int kRegisters, class Number>
GENERATIVE_IK_INLINE void updateGaps(const OrderRows& rows, std::int64_t taken, std::int64_t s,
                                     FurthestInLanes<Number>& furthest) {
  constexpr int kWidth = Number::kWidth;
  const float* lengths = rows.numbers + rows.dimensions * rows.padded;
  float* gaps = rows.numbers + (rows.dimensions + 1) * rows.padded;
  Number products[kRegisters];  // NOLINT(*-avoid-c-arrays)
  for (Number& product : products) {
    product = 0.0F;
  }
  for (std::int64_t d = 0; d < rows.dimensions; ++d) {
    const float* row = rows.numbers + d * rows.padded;
    const Number other = row[taken];
    for (int k = 0; k < kRegisters; ++k) {
      products[k] = products[k] + Number::load(row + s + k * kWidth) * other;
    }
  }
  const Number length = lengths[taken];
  for (int k = 0; k < kRegisters; ++k) {
    const std::int64_t first = s + k * kWidth;
    const Number distance = Number::load(lengths + first) + length - products[k] * Number(2.0F);
    Number gap = Number::load(gaps + first);
    // Rounding makes the distance of duplicates negative; what was taken is marked by less.
    gap = select(distance < gap, distance, gap);
    gap.store(gaps + first);
    const auto further = furthest.gap < gap;
    furthest.at = select(further, Number(static_cast<float>(first / kWidth)), furthest.at);
    furthest.gap = select(further, gap, furthest.gap);
  }
}

/// Of equally far solutions the first is taken, whatever the width of lanes.
template <class Number>
void takeFarthest(const OrderRows& rows, std::int64_t first, std::int64_t ranked,
                  std::int64_t* order) {
  constexpr int kWidth = Number::kWidth;
  constexpr float kTaken = -2.0F;
  constexpr float kFarthest = 1e30F;
  constexpr int kTogether = 4;
  const std::int64_t padded = rows.padded;
  const std::int64_t dimensions = rows.dimensions;
  float* lengths = rows.numbers + dimensions * padded;
  float* gaps = lengths + padded;
  for (std::int64_t s = 0; s < padded; s += kWidth) {
    Number total = 0.0F;
    for (std::int64_t d = 0; d < dimensions; ++d) {
      const Number x = Number::load(rows.numbers + d * padded + s);
      total = total + x * x;
    }
    total.store(lengths + s);
    Number(kFarthest).store(gaps + s);
  }
  // What is beyond the last solution is never the furthest.
  for (std::int64_t s = rows.count; s < padded; ++s) {
    gaps[s] = -1.0F;
  }
  std::int64_t chosen = first;
  for (std::int64_t k = 0; k < ranked; ++k) {
    order[k] = chosen;
    gaps[chosen] = kTaken;
    FurthestInLanes<Number> best;
    std::int64_t s = 0;
    for (; s + kTogether * kWidth <= padded; s += kTogether * kWidth) {
      updateGaps<kTogether>(rows, chosen, s, best);
    }
    for (; s < padded; s += kWidth) {
      updateGaps<1>(rows, chosen, s, best);
    }
    float furthest = best.gap.lane(0);
    chosen = static_cast<std::int64_t>(best.at.lane(0)) * kWidth;
    for (int lane = 1; lane < kWidth; ++lane) {
      const float gap = best.gap.lane(lane);
      const std::int64_t place = static_cast<std::int64_t>(best.at.lane(lane)) * kWidth + lane;
      if (gap > furthest || (gap == furthest && place < chosen)) {
        furthest = gap;
        chosen = place;
      }
    }
  }
}

/// Farthest-first traversal, angles in lanes of double precision and distances in single.
template <class Number, class Single>
void farthestFirst(const DiverseRows& solutions, const OrderRows& rows, std::int64_t ranked,
                   std::int64_t* order) {
  takeFarthest<Single>(rows, writeCoordinates<Number>(solutions, rows), ranked, order);
}

}  // namespace generative_ik

/// A spline flow as one template over the lanes: `ConditionalFlow.generate` in single precision.
#pragma once

#include "../simd/constants.hpp"
#include "outer_joints.hpp"
#include "spline.hpp"
#include "spline_flow.hpp"

namespace generative_ik::learned {

/// Writes a chunk of base samples, from sample `first` on.
template <class Floats>
GENERATIVE_IK_INLINE void drawBase(const FlowRequest& request, std::int64_t first,
                                   std::int64_t width, float* x) {
  for (std::int64_t j = 0; j < width; ++j) {
    const double shift = request.recurrence[j];
    const double ratio = request.recurrence[width + j];
    for (int s = 0; s < kChunk; ++s) {
      const double unit = shift + ratio * static_cast<double>(first + s + 1);
      const double fraction = unit - __builtin_floor(unit);
      x[j * kChunk + s] = static_cast<float>(0.5 + request.temperature * (fraction - 0.5));
    }
  }
}

/// Writes what coefficient networks take of coordinate `joint`, the `place`-th that they see: its
/// distance from the middle, 0 on a circle, then the sine and the cosine of its angle from there.
template <class Floats>
GENERATIVE_IK_INLINE void writeInputs(const SplineLayers& flow, const float* x, std::int64_t joint,
                                      std::int64_t place, float* given) {
  const float straight = flow.circular[joint] ? 0.0F : 1.0F;
  for (int seed = 0; seed < kChunk; seed += Floats::kWidth) {
    const Floats centred = 2.0F * Floats::load(x + joint * kChunk + seed) - 1.0F;
    const Floats angle = flow.turn[joint] * centred;
    (straight * centred).store(given + place * kChunk + seed);
    simd::sineOf(angle).store(given + (flow.untouched + place) * kChunk + seed);
    simd::cosineOf(angle).store(given + (2 * flow.untouched + place) * kChunk + seed);
  }
}

/// Writes a hidden layer: product, gain, bias, leaky rectified linear unit.
template <class Floats>
GENERATIVE_IK_INLINE void hiddenLayer(const BlockedMatrix& matrix, const float* rows,
                                      const float* gains, const float* biases, float* out) {
  multiply<Floats>(matrix, rows, [&](std::int64_t row, int seed, const Floats& sum) {
    const Floats value = sum * gains[row] + biases[row];
    larger(value, kLeak * value).store(out + row * kChunk + seed);
  });
}

/// Takes the coordinates of a chunk through a layer of the flow, whose numbers from the pose are
/// `taken`.
template <class Floats>
GENERATIVE_IK_INLINE void passLayer(const SplineLayers& flow, std::int64_t layer,
                                    const float* taken, float* x, float* memory) {
  const std::int64_t hidden = flow.hidden();
  const std::int64_t* order = flow.orders + layer * flow.width;
  const float* biases = taken + flow.hidden_layers * hidden;
  float* given = memory;
  float* row = given + 3 * flow.untouched * kChunk;
  float* other = row + hidden * kChunk;
  float* coefficients = other + hidden * kChunk;
  for (std::int64_t j = 0; j < flow.untouched; ++j) {
    writeInputs<Floats>(flow, x, order[j], j, given);
  }
  hiddenLayer<Floats>(flow.first.after(layer), given, taken, biases, row);
  for (std::int64_t i = 1; i < flow.hidden_layers; ++i) {
    const BlockedMatrix middle = flow.middle.after(layer * (flow.hidden_layers - 1) + i - 1);
    hiddenLayer<Floats>(middle, row, taken + i * hidden, biases + i * hidden, other);
    float* const before = row;
    row = other;
    other = before;
  }
  const float* last_biases = biases + flow.hidden_layers * hidden;
  multiply<Floats>(flow.last.after(layer), row,
                   [&](std::int64_t output, int seed, const Floats& sum) {
                     (sum + last_biases[output]).store(coefficients + output * kChunk + seed);
                   });
  for (std::int64_t j = flow.untouched; j < flow.width; ++j) {
    float* coordinate = x + order[j] * kChunk;
    float* spline = coefficients + (j - flow.untouched) * (3 * flow.bins + 1) * kChunk;
    for (int seed = 0; seed < kChunk; seed += Floats::kWidth) {
      invertedSpline(Floats::load(coordinate + seed), spline + seed, flow.circular[order[j]],
                     flow.bins)
          .store(coordinate + seed);
    }
  }
}

/// Writes a chunk's configurations, each joint in the turn nearest to the middle of the bounds,
/// then clipped. `start` is the place of its first seed among those of the request.
template <class Floats>
GENERATIVE_IK_INLINE void placeInBounds(const CoordinateBox& box, const FlowRequest& request,
                                        const float* x, const float* closed, std::int64_t start,
                                        double* positions) {
  const std::int64_t n = request.num_joints;
  const std::int64_t begin = start < 0 ? -start : 0;
  const std::int64_t end = request.count - start < kChunk ? request.count - start : kChunk;
  for (std::int64_t j = 0; j < n; ++j) {
    const std::int64_t column = box.columns[j];
    const float* row = column >= 0 ? x + column * kChunk : closed - (1 + column) * kChunk;
    const double lower = request.lower[j];
    const double upper = request.upper[j];
    const double centre = (lower + upper) / 2.0;
    for (std::int64_t s = begin; s < end; ++s) {
      double q = box.least[j] + box.slope[j] * static_cast<double>(row[s]);
      if (box.turning[j]) {
        q -= kTurn * simd::nearestInteger((q - centre) / kTurn);
      }
      positions[(start + s) * n + j] = simd::clamp(q, lower, upper);
    }
  }
}

template <class Floats>
void drawFromFlow(const SplineFlow& flow, const FlowRequest& request, const float* taken,
                  std::int64_t begin, std::int64_t end, float* memory) {
  const SplineLayers& layers = flow.layers;
  float* x = memory;
  float* closed = x + layers.width * kChunk;
  float* rest = closed + 2 * kChunk;
  for (std::int64_t chunk = begin; chunk < end; ++chunk) {
    const std::int64_t pose = chunk / request.chunks();
    const std::int64_t start = (chunk % request.chunks()) * kChunk - request.skipped();
    drawBase<Floats>(request, request.first + start, layers.width, x);
    for (std::int64_t layer = 0; layer < layers.layers; ++layer) {
      const float* its = taken + (pose * layers.layers + layer) * layers.taken();
      passLayer<Floats>(layers, layer, its, x, rest);
    }
    if (flow.ends.first || flow.ends.last) {
      for (int seed = 0; seed < kChunk; seed += Floats::kWidth) {
        closeEnds<Floats>(flow.ends, x + seed, request.poses + 16 * pose, closed + seed);
      }
    }
    placeInBounds<Floats>(flow.box, request, x, closed, start,
                          request.positions + pose * request.count * request.num_joints);
  }
}

}  // namespace generative_ik::learned

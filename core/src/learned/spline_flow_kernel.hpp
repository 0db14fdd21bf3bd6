/// A spline flow as one template over the lanes: `ConditionalFlow.generate` in single precision.
#pragma once

#include "../simd/constants.hpp"
#include "outer_joints.hpp"
#include "spline.hpp"
#include "spline_flow.hpp"

namespace generative_ik::learned {

/// Writes base samples, from sample `first` on.
template <class Seeds>
GENERATIVE_IK_INLINE void drawBase(const Seeds& seeds, const FlowRequest& request,
                                   std::int64_t first, std::int64_t width, float* x) {
  for (std::int64_t j = 0; j < width; ++j) {
    const double shift = request.recurrence[j];
    const double ratio = request.recurrence[width + j];
    for (int s = 0; s < Seeds::kCount; ++s) {
      const double unit = shift + ratio * static_cast<double>(first + s + 1);
      const double fraction = unit - __builtin_floor(unit);
      x[j * seeds.stride + s] = static_cast<float>(0.5 + request.temperature * (fraction - 0.5));
    }
  }
}

/// Writes what a layer's coefficient network takes of the coordinates that it does not touch: of
/// each its distance from the middle, 0 on a circle, then the sine and the cosine of its angle
/// from there.
template <class Seeds>
GENERATIVE_IK_INLINE void writeInputs(const Seeds& seeds, const SplineLayers& flow,
                                      std::int64_t layer, const FlowRows& rows) {
  using Floats = typename Seeds::Floats;
  const std::int64_t* order = flow.orders + layer * flow.width;
  for (std::int64_t place = 0; place < flow.untouched; ++place) {
    const std::int64_t joint = order[place];
    const float straight = flow.circular[joint] ? 0.0F : 1.0F;
    const auto at = [&](int part) {
      return rows.given + (part * flow.untouched + place) * seeds.stride;
    };
    eachRegister<Seeds>([&](int seed) {
      const Floats centred = 2.0F * Floats::load(rows.x + joint * seeds.stride + seed) - 1.0F;
      const Floats angle = flow.turn[joint] * centred;
      (straight * centred).store(at(0) + seed);
      simd::sineOf(angle).store(at(1) + seed);
      simd::cosineOf(angle).store(at(2) + seed);
    });
  }
}

/// Writes blocks of a hidden layer of a layer's coefficient network, whose numbers from the pose
/// are `taken`: product, gain, bias, leaky rectified linear unit.
template <class Seeds>
GENERATIVE_IK_INLINE void passHidden(const Seeds& seeds, const SplineLayers& flow,
                                     std::int64_t layer, std::int64_t hidden_layer,
                                     const float* taken, const Blocks& blocks,
                                     const FlowRows& rows) {
  const bool is_first = hidden_layer == 0;
  const BlockedMatrix matrix =
      is_first ? flow.first.after(layer)
               : flow.middle.after(layer * (flow.hidden_layers - 1) + hidden_layer - 1);
  const float* gains = taken + hidden_layer * flow.hidden();
  const float* biases = gains + flow.hidden_layers * flow.hidden();
  const float* in = is_first ? rows.given : rows.hidden(hidden_layer - 1);
  float* out = rows.hidden(hidden_layer);
  multiply(seeds, matrix, blocks, in,
           [&](std::int64_t row, int seed, const typename Seeds::Floats& sum) {
             const auto value = sum * gains[row] + biases[row];
             larger(value, kLeak * value).store(out + row * seeds.stride + seed);
           });
}

/// Writes blocks of a layer's coefficients.
template <class Seeds>
GENERATIVE_IK_INLINE void passLast(const Seeds& seeds, const SplineLayers& flow,
                                   std::int64_t layer, const float* taken, const Blocks& blocks,
                                   const FlowRows& rows) {
  const float* biases = taken + 2 * flow.hidden_layers * flow.hidden();
  multiply(seeds, flow.last.after(layer), blocks, rows.hidden(flow.hidden_layers - 1),
           [&](std::int64_t output, int seed, const typename Seeds::Floats& sum) {
             (sum + biases[output]).store(rows.coefficients + output * seeds.stride + seed);
           });
}

/// Moves the coordinates that a layer touches by the inverses of their splines.
template <class Seeds>
GENERATIVE_IK_INLINE void bend(const Seeds& seeds, const SplineLayers& flow, std::int64_t layer,
                               const FlowRows& rows) {
  using Floats = typename Seeds::Floats;
  const std::int64_t* order = flow.orders + layer * flow.width;
  for (std::int64_t j = flow.untouched; j < flow.width; ++j) {
    float* coordinate = rows.x + order[j] * seeds.stride;
    float* spline = rows.coefficients + (j - flow.untouched) * (3 * flow.bins + 1) * seeds.stride;
    eachRegister<Seeds>([&](int seed) {
      invertedSpline(seeds, Floats::load(coordinate + seed), spline + seed,
                     flow.circular[order[j]], flow.bins)
          .store(coordinate + seed);
    });
  }
}

/// Takes the coordinates of a chunk through a layer of the flow.
template <class Seeds>
GENERATIVE_IK_INLINE void passLayer(const Seeds& seeds, const SplineLayers& flow,
                                    std::int64_t layer, const float* taken, const FlowRows& rows) {
  writeInputs(seeds, flow, layer, rows);
  passHidden(seeds, flow, layer, 0, taken, Blocks::all(flow.first), rows);
  for (std::int64_t i = 1; i < flow.hidden_layers; ++i) {
    passHidden(seeds, flow, layer, i, taken, Blocks::all(flow.middle), rows);
  }
  passLast(seeds, flow, layer, taken, Blocks::all(flow.last), rows);
  bend(seeds, flow, layer, rows);
}

/// Writes configurations, each joint in the turn nearest to the middle of the bounds, then
/// clipped. `start` is the place of the first seed among those of the request.
template <class Seeds>
GENERATIVE_IK_INLINE void placeInBounds(const Seeds& seeds, const CoordinateBox& box,
                                        const FlowRequest& request, const FlowRows& rows,
                                        std::int64_t start, double* positions) {
  const std::int64_t n = request.num_joints;
  const std::int64_t begin = start < 0 ? -start : 0;
  const std::int64_t end =
      request.count - start < Seeds::kCount ? request.count - start : Seeds::kCount;
  for (std::int64_t j = 0; j < n; ++j) {
    const std::int64_t column = box.columns[j];
    const float* row =
        column >= 0 ? rows.x + column * seeds.stride : rows.closed - (1 + column) * seeds.stride;
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

/// Writes configurations for the coordinates that have gone through all layers.
template <class Seeds>
GENERATIVE_IK_INLINE void writeConfigurations(const Seeds& seeds, const SplineFlow& flow,
                                              const FlowRequest& request, std::int64_t pose,
                                              std::int64_t start, const FlowRows& rows) {
  if (flow.ends.first || flow.ends.last) {
    eachRegister<Seeds>([&](int seed) {
      closeEnds(seeds, flow.ends, rows.x + seed, request.poses + 16 * pose, rows.closed + seed);
    });
  }
  placeInBounds(seeds, flow.box, request, rows, start,
                request.positions + pose * request.count * request.num_joints);
}

template <class Floats>
void drawFromFlow(const SplineFlow& flow, const FlowRequest& request, const float* taken,
                  std::int64_t begin, std::int64_t end, float* memory) {
  constexpr SeedsInLanes<Floats> kSeeds = {};
  const SplineLayers& layers = flow.layers;
  const FlowRows rows = FlowRows::of(layers, memory, kSeeds.stride);
  for (std::int64_t chunk = begin; chunk < end; ++chunk) {
    const std::int64_t pose = chunk / request.chunks();
    const std::int64_t start = (chunk % request.chunks()) * kChunk - request.skipped();
    drawBase(kSeeds, request, request.first + start, layers.width, rows.x);
    for (std::int64_t layer = 0; layer < layers.layers; ++layer) {
      const float* its = taken + (pose * layers.layers + layer) * layers.taken();
      passLayer(kSeeds, layers, layer, its, rows);
    }
    writeConfigurations(kSeeds, flow, request, pose, start, rows);
  }
}

}  // namespace generative_ik::learned

/// Samples of a conditional spline flow (learned/ikflow/flow.py).
#pragma once

#include <cstdint>

#include "../parallel/checkpoint.hpp"
#include "chunk.hpp"
#include "pose_inputs.hpp"

namespace generative_ik::learned {

/// What computes from a pose all that the flow's layers take from it.
struct PoseNetwork {
  PoseInputs inputs;
  DenseLayer layers[3];  // NOLINT(*-avoid-c-arrays)
};

/// The flow's layers, each of them a coefficient network and the splines that it bends.
struct SplineLayers {
  std::int64_t layers, width, untouched, hidden_layers, bins;
  BlockedMatrix first, middle,
      last;                    // the first of `layers`, hidden_layers - 1 a layer of `middle`
  const std::int64_t* orders;  // (layers, width) coordinates: untouched ones, then the others
  const bool* circular;        // (width)
  const float* turn;           // (width) angle at the ends of the box [rad]

  [[nodiscard]] GENERATIVE_IK_DEVICE std::int64_t hidden() const { return first.outputs; }
  /// How many numbers a layer takes from the pose: gains and biases of hidden layers, then biases
  /// of the outputs.
  [[nodiscard]] GENERATIVE_IK_DEVICE std::int64_t taken() const {
    return 2 * hidden_layers * hidden() + last.outputs;
  }
};

/// The outer joints that follow in closed form from the others, which move three vectors from the
/// last joint inwards: a position and two axes.
struct OuterJoints {
  bool first, last;             // whether they follow
  std::int64_t steps;           // joints that are passed
  const float* start;           // (3, 3) position, x and y of the last frame before the first step
  const std::int64_t* columns;  // (steps) the coordinate that moves a step's joint
  const float* values;          // (steps, 2) the joint's value at coordinate 0, its change up to 1
  const bool* prismatic;        // (steps)
  const float* frames;          // (steps, 3, 4) constant frame before the joint
  const float* outer;  // (2, 2) first and last joint: position where it is 0, and its sign
};

/// How coordinates become positions inside the bounds of a request.
struct CoordinateBox {
  std::int64_t count;           // n
  const std::int64_t* columns;  // (n) coordinate; -1 for the first, -2 for the last outer joint
  const double* least;          // (n) position where the coordinate is 0
  const double* slope;          // (n) change of the position up to 1
  const bool* turning;          // (n) whether it may be full turns away from the bounds
};

struct SplineFlow {
  PoseNetwork pose;
  SplineLayers layers;
  OuterJoints ends;
  CoordinateBox box;
};

/// What is drawn: samples `first` to before `first + count` of a quasi-random sequence for each of
/// the poses.
struct FlowRequest {
  const double* poses;  // (num_poses, 4, 4) last joint frame in the first joint frame [m]
  std::int64_t num_poses, count, num_joints;
  const double* recurrence;  // (2, width) shift and ratios of the sequence
  std::int64_t first;
  double temperature;   // factor of the samples' spread about their centre
  const double* lower;  // (num_joints)
  const double* upper;  // (num_joints)
  double* positions;    // (num_poses, count, num_joints) written

  [[nodiscard]] std::int64_t skipped() const { return first % kChunk; }
  [[nodiscard]] std::int64_t chunks() const { return (skipped() + count + kChunk - 1) / kChunk; }
};

/// The numbers of seeds while they go through a flow: rows, one number a seed.
struct FlowRows {
  float* x;             // (width) coordinates
  float* closed;        // (2) outer joints that follow
  float* given;         // (3 untouched) what coefficient networks take of coordinates
  float* even;          // (hidden) of hidden layers
  float* odd;           // (hidden) likewise
  float* coefficients;  // (last.outputs)

  /// Rows in memory for `flowRows` of them, `stride` apart.
  GENERATIVE_IK_INLINE static FlowRows of(const SplineLayers& layers, float* memory,
                                          std::int64_t stride) {
    FlowRows rows = {};
    rows.x = memory;
    rows.closed = rows.x + layers.width * stride;
    rows.given = rows.closed + 2 * stride;
    rows.even = rows.given + 3 * layers.untouched * stride;
    rows.odd = rows.even + layers.hidden() * stride;
    rows.coefficients = rows.odd + layers.hidden() * stride;
    return rows;
  }
  [[nodiscard]] GENERATIVE_IK_INLINE float* hidden(std::int64_t layer) const {
    return layer % 2 == 0 ? even : odd;
  }
};

/// Draws chunks `begin` to before `end` of all poses, `request.chunks()` for each, with memory for
/// `flowRows` rows of a chunk. `taken` are all poses' (num_poses, layers, taken()).
using FlowKernel = void (*)(const SplineFlow& flow, const FlowRequest& request, const float* taken,
                            std::int64_t begin, std::int64_t end, float* memory);

std::int64_t flowRows(const SplineLayers& layers);

/// Writes samples on the library's threads.
void sampleFlow(const SplineFlow& flow, const FlowRequest& request,
                const parallel::StopWhen& stop);

}  // namespace generative_ik::learned

/// Samples of a spline flow. A thread has a seed where coordinates are moved, and a seed and a
/// block of outputs in the layers of coefficient networks: a launch a layer.
///
/// A thread that took a seed through all of a large flow would multiply 340,000 numbers one after
/// the other, while most of the GPU waits: a call has some thousand seeds. Numbers of seeds are
/// rows in device memory, so that neighbouring threads read neighbouring ones.
#pragma once

#include "../src/learned/spline_flow_kernel.hpp"

namespace generative_ik::cuda {

struct FlowTask {
  learned::SplineFlow flow;
  learned::FlowRequest request;  ///< Of a piece of a call.
  const float* taken;            ///< (poses, layers, taken) what layers take from poses.
  float* rows;                   ///< `flowRows` rows of seeds.
  std::int64_t seeds;            ///< Of all poses of the piece.
  std::int64_t layer;            ///< Of the flow.
  std::int64_t hidden_layer;     ///< Of its coefficient network.

  [[nodiscard]] GENERATIVE_IK_DEVICE learned::FlowRows rowsOf(std::int64_t seed) const {
    return learned::FlowRows::of(flow.layers, rows + seed, seeds);
  }
  /// What the layer takes from the pose of a seed.
  [[nodiscard]] GENERATIVE_IK_DEVICE const float* takenBy(std::int64_t seed) const {
    return taken + (seed / request.count * flow.layers.layers + layer) * flow.layers.taken();
  }
};

/// The kernel: thread `seed`.
GENERATIVE_IK_DEVICE inline void beginFlow(const FlowTask& task, std::int64_t thread) {
  const learned::SeedOfThread seeds = {task.seeds};
  const learned::FlowRows rows = task.rowsOf(thread);
  learned::drawBase(seeds, task.request, task.request.first + thread % task.request.count,
                    task.flow.layers.width, rows.x);
  learned::writeInputs(seeds, task.flow.layers, 0, rows);
}

/// The kernel: thread `block * seeds + seed`.
GENERATIVE_IK_DEVICE inline void passHidden(const FlowTask& task, std::int64_t thread) {
  const std::int64_t block = thread / task.seeds;
  const std::int64_t seed = thread - block * task.seeds;
  learned::passHidden(learned::SeedOfThread{task.seeds}, task.flow.layers, task.layer,
                      task.hidden_layer, task.takenBy(seed), {block, block + 1},
                      task.rowsOf(seed));
}

/// The kernel: thread `block * seeds + seed`.
GENERATIVE_IK_DEVICE inline void passLast(const FlowTask& task, std::int64_t thread) {
  const std::int64_t block = thread / task.seeds;
  const std::int64_t seed = thread - block * task.seeds;
  learned::passLast(learned::SeedOfThread{task.seeds}, task.flow.layers, task.layer,
                    task.takenBy(seed), {block, block + 1}, task.rowsOf(seed));
}

/// The kernel: thread `seed`. Goes on to the next layer's inputs, or to the configuration.
GENERATIVE_IK_DEVICE inline void bendFlow(const FlowTask& task, std::int64_t thread) {
  const learned::SeedOfThread seeds = {task.seeds};
  const learned::SplineLayers& layers = task.flow.layers;
  const learned::FlowRows rows = task.rowsOf(thread);
  learned::bend(seeds, layers, task.layer, rows);
  if (task.layer + 1 < layers.layers) {
    learned::writeInputs(seeds, layers, task.layer + 1, rows);
    return;
  }
  const std::int64_t pose = thread / task.request.count;
  learned::writeConfigurations(seeds, task.flow, task.request, pose,
                               thread - pose * task.request.count, rows);
}

}  // namespace generative_ik::cuda

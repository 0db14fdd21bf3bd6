/// Networks that take a pose: a thread a pose, then a launch a layer with a thread an output.
#pragma once

#include "../src/learned/distal.hpp"

namespace generative_ik::cuda {

/// Poses, and what networks take of them.
struct InputsTask {
  learned::PoseInputs inputs;
  const double* poses;  ///< (poses, 4, 4)
  float* out;           ///< (poses, inputs)
};

/// The kernel: thread `pose`.
GENERATIVE_IK_DEVICE inline void writeInputs(const InputsTask& task, std::int64_t thread) {
  learned::writePoseInputs(task.inputs, task.poses + 16 * thread,
                           task.out + task.inputs.count * thread);
}

/// A layer of networks of one shape, for rows of each.
struct DenseTask {
  learned::DenseLayer layer;  ///< Of the first network.
  std::int64_t matrix_step;   ///< From its matrix to the next one's.
  std::int64_t bias_step;     ///< Likewise.
  std::int64_t rows;          ///< Of each network.
  bool shared;                ///< Whether all networks take the same rows.
  float slope;                ///< What becomes of negative sums: their factor.
  const float* in;            ///< (networks or 1, rows, inputs)
  float* out;                 ///< (networks, rows, outputs)
};

/// The kernel: thread `(network * rows + row) * outputs + output`. Neighbours read neighbouring
/// numbers of the matrix, and the same ones of the row.
GENERATIVE_IK_DEVICE inline void passDense(const DenseTask& task, std::int64_t thread) {
  learned::DenseLayer layer = task.layer;
  const std::int64_t row = thread / layer.outputs;
  const std::int64_t network = row / task.rows;
  layer.matrix += network * task.matrix_step;
  layer.bias += network * task.bias_step;
  const float* in = task.in + (task.shared ? row - network * task.rows : row) * layer.inputs;
  float value = 0.0F;
  learned::denseLayer<simd::FloatLanes<1>>(layer.only(thread - row * layer.outputs), in,
                                           task.slope, &value);
  task.out[thread] = value;
}

/// Outputs of the networks of distal teaching as points of the joint box.
struct AnswersTask {
  learned::MemberNetworks networks;
  const float* outputs;  ///< (members, poses, outputs)
  std::int64_t poses;
  double* boxed;  ///< (poses, members, joints)
};

/// The kernel: thread `pose * members + member`.
GENERATIVE_IK_DEVICE inline void readAnswers(const AnswersTask& task, std::int64_t thread) {
  const learned::MemberNetworks& networks = task.networks;
  const std::int64_t pose = thread / networks.members;
  const std::int64_t member = thread - pose * networks.members;
  const float* outputs = task.outputs + (member * task.poses + pose) * networks.outputs();
  for (std::int64_t j = 0; j < networks.joints; ++j) {
    task.boxed[thread * networks.joints + j] = learned::boxedAnswer(networks, j, outputs);
  }
}

}  // namespace generative_ik::cuda

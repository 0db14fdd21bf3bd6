/// Arms that are completed joint by joint. A thread has a seed where joints are moved, and a seed
/// and a block of outputs in the layers of the network: a launch a layer.
///
/// A joint takes 75,000 products, five joints in four tries 1.5 million: too many for one thread.
#pragma once

#include "../src/learned/arm_completion_kernel.hpp"

namespace generative_ik::cuda {

struct CompletionTask {
  learned::Arm arm;
  learned::CompletionRequest request;  ///< Of a piece of a call.
  learned::CompletionMemory memory;    ///< Rows of the slots.
  const std::int32_t* seeds;           ///< (slots) which seed is in each, of all goals.
  std::int64_t slots;
  std::int64_t attempt;  ///< How often these seeds have been drawn before.
  std::int64_t joint;    ///< Which the network decides.
  std::int64_t layer;    ///< Of the network.
  double* missed;        ///< (all seeds) by how much the best try misses.
  std::uint8_t* open;    ///< (slots) whether the seed is to be drawn again.

  [[nodiscard]] GENERATIVE_IK_DEVICE learned::CompletionRows rowsOf(std::int64_t slot) const {
    return learned::CompletionRows::of(arm.network, request.num_variables,
                                       {memory.single + slot, memory.variable + slot}, slots);
  }
  [[nodiscard]] GENERATIVE_IK_DEVICE const float* goalOf(std::int64_t slot) const {
    return request.goals + 9 * (seeds[slot] / request.count);
  }
};

/// Keeps a seed's configuration if it is its best.
GENERATIVE_IK_DEVICE inline void keepBest(const CompletionTask& task, std::int64_t slot,
                                          const learned::CompletionRows& rows) {
  const learned::SeedOfThread seeds = {task.slots};
  const learned::CompletionRequest& request = task.request;
  const std::int64_t seed = task.seeds[slot];
  const double missed =
      learned::missedBy(seeds, task.goalOf(slot), rows.state, 0) +
      learned::settle(seeds, request, rows.variables, 0, rows.variables, seeds.stride);
  if (missed < task.missed[seed] || task.attempt == 0) {
    task.missed[seed] = missed;
    for (std::int64_t j = 0; j < request.num_variables; ++j) {
      request.positions[seed * request.num_variables + j] = rows.variables[j * seeds.stride];
    }
  }
  task.open[slot] = missed > learned::kMissed && task.attempt + 1 < request.tries ? 1 : 0;
}

/// Goes on from a joint to the next one that the network decides, or to the end.
GENERATIVE_IK_DEVICE inline void goOn(const CompletionTask& task, std::int64_t slot,
                                      std::int64_t joint, const learned::CompletionRows& rows) {
  const learned::ArmLinks& links = task.arm.links;
  if (learned::passToSampled(learned::SeedOfThread{task.slots}, links, joint, task.goalOf(slot),
                             rows) == links.num_joints) {
    keepBest(task, slot, rows);
  }
}

/// The kernel: thread `slot`.
GENERATIVE_IK_DEVICE inline void beginArm(const CompletionTask& task, std::int64_t thread) {
  const learned::SeedOfThread seeds = {task.slots};
  const learned::CompletionRows rows = task.rowsOf(thread);
  const learned::WaitingSeed seed = {task.seeds[thread] % task.request.count, task.attempt, 0.0};
  learned::writeNumbers(seeds, task.request, seed, 0, rows.unit);
  learned::writeBaseFrames(seeds, rows.state);
  goOn(task, thread, 0, rows);
}

/// The kernel: thread `block * slots + slot`.
GENERATIVE_IK_DEVICE inline void passNetwork(const CompletionTask& task, std::int64_t thread) {
  const std::int64_t block = thread / task.slots;
  const learned::CompletionRows rows = task.rowsOf(thread - block * task.slots);
  learned::passLayer(learned::SeedOfThread{task.slots}, task.arm.network, task.joint, task.layer,
                     {block, block + 1}, rows, rows.outputs);
}

/// The kernel: thread `slot`.
GENERATIVE_IK_DEVICE inline void moveJoint(const CompletionTask& task, std::int64_t thread) {
  const learned::CompletionRows rows = task.rowsOf(thread);
  learned::passSampled(learned::SeedOfThread{task.slots}, task.arm, task.joint, rows.outputs,
                       rows);
  goOn(task, thread, task.joint + 1, rows);
}

}  // namespace generative_ik::cuda

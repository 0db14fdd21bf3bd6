/// Forward kinematics: a thread a configuration, in double precision.
#pragma once

#include "../src/verify/place.hpp"

namespace generative_ik::cuda {

struct PlaceTask {
  verify::RodriguesChain chain;
  std::int64_t num_variables;
  const double* positions;  ///< (count, n) [rad or m].
  double* poses;            ///< (count, 4, 4) tip in base [m].
};

/// The kernel: thread `configuration`.
GENERATIVE_IK_DEVICE inline void place(const PlaceTask& task, std::int64_t thread) {
  const double* q = task.positions + task.num_variables * thread;
  const auto tip = verify::placeTip<double>(task.chain, [q](std::int64_t v) { return q[v]; });
  verify::writePose(tip, 0, task.poses + 16 * thread);
}

}  // namespace generative_ik::cuda

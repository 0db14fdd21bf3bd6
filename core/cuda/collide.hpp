/// A thread's part of a search among obstacles: a solution that spheres do not prove to be free is
/// none of the device's.
#pragma once

#include "../src/collision/check.hpp"
#include "search_task.hpp"

namespace generative_ik::cuda {

/// Whether spheres that contain the links are clear of everything in a configuration.
GENERATIVE_IK_DEVICE inline bool isFree(const collision::WorldView& world, double sure,
                                        const double* q) {
  // NOLINTBEGIN(*-avoid-c-arrays,*-member-init): what a check writes to
  collision::RigidPose frames[kMostFrames + 1];
  double sines[2 * kMostFrames];
  collision::Sphere spheres[kMostBodies];
  // NOLINTEND(*-avoid-c-arrays,*-member-init)
  collision::Contacts none = {nullptr, 0, 0};
  return collision::check<double>(world, q, sure, {frames, sines, spheres}, none) ==
         Verdict::kFree;
}

/// The kernel: thread `slot * seeds + seed`.
GENERATIVE_IK_DEVICE inline void keepFree(const SearchTask& task, std::int64_t thread) {
  const SearchRound& round = task.round;
  if (round.verified[thread] != 0) {
    const double* q = round.exact + task.problem.chain.num_variables * thread;
    round.verified[thread] = isFree(task.problem.world, task.problem.sure, q) ? 1 : 0;
  }
}

}  // namespace generative_ik::cuda

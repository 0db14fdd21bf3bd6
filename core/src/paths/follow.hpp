/// Following of poses: eight tracks at a time, in vector lanes.
///
/// A track follows poses one by one from a configuration: the solution of each pose is the seed of
/// the next. It ends where no solution is found, where a joint would move further than a step, or
/// where the motion collides. Motions that spheres cannot tell go on; who uses the track decides
/// on them.
#pragma once

#include <cstdint>
#include <vector>

#include "task.hpp"

namespace generative_ik::paths {

/// How a track ended, in the order of how far a motion came.
enum class Ending : std::int64_t {
  kUnderWay = 0,
  kComplete = 1,   ///< It reached all its poses.
  kUnreached = 2,  ///< No solution of the next pose was found inside the joint limits.
  kTooFar = 3,     ///< That solution is more than a step away.
  kColliding = 4,  ///< The motion there collides.
};

/// A run of poses to follow from one configuration.
struct Track {
  std::int64_t pose = 0;       ///< The next to reach.
  std::int64_t left = 0;       ///< Poses to reach.
  std::int64_t direction = 1;  ///< 1 towards the last pose, -1 towards the first.
  double* current = nullptr;   ///< (n) where it is.
  /// (n) from where the first pose is solved; in the end, of a track that ended in a collision,
  /// where its last motion led.
  double* seed = nullptr;
  double* positions = nullptr;  ///< Where the next configuration is written.
  Verdict* verdict = nullptr;   ///< Where that on the motion there is written.
  std::int64_t reached = 0;
  Ending ending = Ending::kUnderWay;
};

/// Follows poses along tracks, by all threads. A track that time did not suffice for is still
/// under way.
void follow(const PathTask& task, std::vector<Track>& tracks);

}  // namespace generative_ik::paths

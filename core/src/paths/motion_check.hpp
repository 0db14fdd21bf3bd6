/// Collision checks of joint motions between configurations, by the shapes where spheres fail.
#pragma once

#include <map>
#include <vector>

#include "task.hpp"

namespace generative_ik::paths {

/// Checks straight motions in joint space at points that are close to each other, on the caller's
/// thread. What the shapes themselves have said of a configuration is remembered.
class MotionCheck {
 public:
  /// Keeps the task by reference.
  explicit MotionCheck(const PathTask& task)
      : task_(task), resolution_(task.resolutions()), point_(at(task.size)) {}

  /// The worst verdict by spheres on a motion, but its start.
  [[nodiscard]] Verdict verdict(const double* before, const double* after);
  /// Likewise of the motions from each of some rows to the one of the other rows, by all threads.
  [[nodiscard]] std::vector<Verdict> verdicts(const Rows& before, const Rows& after) const;

  /// Whether a motion collides, by the shapes themselves.
  [[nodiscard]] bool collides(const double* before, const double* after);

  [[nodiscard]] bool isFree(const double* before, const double* after);

  /// The first part of a path that spheres find free before a deadline. free_poses: whether the
  /// path is known to be free at its poses.
  [[nodiscard]] Rows freePart(const Rows& path, parallel::Clock::time_point deadline,
                              bool free_poses);

 private:
  bool hits(const double* q);

  const PathTask& task_;
  std::vector<double> resolution_;
  std::vector<double> point_;
  CollisionMemory memory_;
  std::map<std::vector<double>, bool> known_;
};

}  // namespace generative_ik::paths

// The local solver for eight configurations at a time.
#pragma once

#include <generative_ik/pose_error.hpp>
#include <vector>

#include "lane_problem.hpp"

namespace generative_ik {

// The kernels that this processor can run, the fastest first.
const std::vector<LaneKernel>& laneKernels();

class LaneSolver {
 public:
  // Args: lower, upper (size): bounds of the iteration, which may be infinite [rad or m].
  LaneSolver(const Chain& chain, const Eigen::Isometry3d& target_in_base,
             const Tolerance& tolerance, Vector lower, Vector upper,
             const LaneKernel& kernel = laneKernels().front());
  // The kernel has pointers to the members.
  ~LaneSolver() = default;
  LaneSolver(const LaneSolver&) = delete;
  LaneSolver& operator=(const LaneSolver&) = delete;
  LaneSolver(LaneSolver&&) = delete;
  LaneSolver& operator=(LaneSolver&&) = delete;

  // Computes the errors of all lanes.
  void evaluate() { kernel_.evaluate(problem_, rows_); }

  // Moves the lanes whose errors have been computed one step towards the target.
  void advance() { kernel_.advance(problem_, rows_); }

  // Puts a configuration (size) into a lane; it does not move before the next evaluation.
  void begin(int lane, const Vector& q);

  // Lets a lane that has begun move from now on.
  void release(int lane) { rows_.moving->lane[lane] = 1.0; }

  [[nodiscard]] Vector configuration(int lane) const;
  [[nodiscard]] double positionError(int lane) const;     // [m]
  [[nodiscard]] double orientationChord(int lane) const;  // 2 sin(angle / 2) [rad]

  // Weighted squared error; the characteristic length weighs like 1 rad.
  [[nodiscard]] double squaredError(int lane) const;

 private:
  LaneKernel kernel_;
  std::vector<LaneJoint> joints_;
  Vector scale_;
  Vector lower_;
  Vector upper_;
  std::vector<LaneRow> memory_;
  LaneProblem problem_{};
  LaneRows rows_{};
};

}  // namespace generative_ik

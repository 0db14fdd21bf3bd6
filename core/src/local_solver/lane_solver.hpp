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
  void measure() { kernel_.measure(chain_, rows_); }

  // Moves the lanes whose errors have been computed one step towards the target.
  void advance() { kernel_.advance(chain_, options_, rows_, lower_.data(), upper_.data()); }

  // Puts a configuration (size) into a lane; it does not move before it is measured.
  void begin(int lane, const Vector& q);

  // Lets a lane that has begun move from now on.
  // NOLINTNEXTLINE(readability-make-member-function-const): it changes the lane
  void release(int lane) { rows_.seeds.moving->lane[lane] = 1.0; }

  [[nodiscard]] Vector configuration(int lane) const;
  [[nodiscard]] double positionError(int lane) const;     // [m]
  [[nodiscard]] double orientationChord(int lane) const;  // 2 sin(angle / 2) [rad]

  // Weighted squared error; the characteristic length weighs like 1 rad.
  [[nodiscard]] double squaredError(int lane) const;

 private:
  LaneKernel kernel_;
  std::vector<double> poses_;  // the joints' origins, then the tip
  std::vector<double> multiplier_;
  std::vector<double> offset_;
  std::vector<std::int64_t> variable_;
  std::vector<std::int64_t> prismatic_;
  Vector lower_;
  Vector upper_;
  Vector scale_;
  LaneOptions options_;
  LaneChain chain_{};
  std::vector<LaneRow> memory_;
  LaneRows rows_{};
};

}  // namespace generative_ik

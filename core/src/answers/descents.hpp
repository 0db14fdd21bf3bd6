/// Steps from several configurations towards the solutions nearest to a seed state.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "../local_solver/lane_kernels.hpp"
#include "branch_problem.hpp"

namespace generative_ik::answers {

/// A solution, and its squared distance from the seed state; infinite if there is none.
template <int kSize>
struct NearestRow {
  double distance = std::numeric_limits<double>::infinity();
  std::array<double, kSize> q{};
};

/// Where steps begin.
template <int kSize>
struct DescentStart {
  const double* tip_pose;  ///< (4, 4) tip in base [m].
  const double* seed;      ///< (kSize) seed state.
  double bound;  ///< Squared distance from the seed state beyond which no solution is the nearest.
  std::array<double, kSize> q;
  NearestRow<kSize>* nearest;  ///< Of all starts of a target.
};

/// Has starts take steps, one in each lane. What becomes of a start does not depend on others.
template <int kSize>
class Descents {
 public:
  using Start = DescentStart<kSize>;
  using Row = std::array<double, kSize>;

  /// Args: weights: (kSize) what a rad or m counts in the distance. exact: error of solutions
  /// [m and rad]. lanes: memory that is used again.
  Descents(const ChainNumbers& chain, const BoundsOf<kSize>& bounds, double exact,
           const double* weights, std::vector<LaneRow>& lanes)
      : bounds_(bounds), exact_(exact), weights_(weights), options_(chain.options()) {
    const Packed packed = chain.packed();
    chain_ = unpackChain(packed.floats, packed.ints);
    for (std::size_t v = 0; v < kSize; ++v) {
      scale_[v] = 1.0 / std::max(weights[v], kLeastWeight);
    }
    chain_.scale = scale_.data();
    const std::int64_t size = countRows(kSize, kSize);
    lanes.assign(static_cast<std::size_t>(size + countNearestRows(kSize)), LaneRow{});
    rows_ = rowsIn(lanes.data(), kSize, kSize);
    nearest_ = nearestRowsIn(lanes.data() + size, kSize);
    clearLanes(rows_, kSize, options_);
    start_in_.fill(nullptr);
  }

  /// Writes the nearest solution that each start comes to, if it is nearer than those of others.
  void run(const std::vector<Start>& starts) {
    const LaneKernel& kernel = laneKernel();
    auto next = starts.begin();
    while (fill(next, starts.end())) {
      kernel.measure(chain_, rows_);
      for (int lane = 0; lane < kLanes; ++lane) {
        if (startIn(lane) != nullptr && isOver(lane)) {
          startIn(lane) = nullptr;
          rows_.seeds.moving->lane[lane] = 0.0;
        }
      }
      kernel.advance_nearest(chain_, options_, rows_, nearest_, bounds_.soft_lower,
                             bounds_.soft_upper);
    }
  }

 private:
  using Next = typename std::vector<Start>::const_iterator;

  // Steps after which a start is given up.
  static constexpr int kMostSteps = 40;
  // A configuration is the nearest on its curve where the slide that is left is so small a share
  // of its distance from the seed state, or so short [rad].
  static constexpr double kLeft = 1e-2;
  static constexpr double kShort = 1e-9;
  // Errors below which the distance of a configuration says what its solution's will be
  // [m and rad]: it becomes less by no more than so many times what the slide that is left brings.
  // It does so after a few steps.
  static constexpr double kAlmost = 1e-3;
  static constexpr int kPatience = 6;
  static constexpr double kBent = 2.0;
  // What joints count at the least: where one counts nothing, steps would have no bounds.
  static constexpr double kLeastWeight = 1e-3;

  const Start*& startIn(int lane) { return start_in_[static_cast<std::size_t>(lane)]; }

  // Has lanes that are free take the next starts; returns whether any has one.
  bool fill(Next& next, const Next& end) {
    bool any = false;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (startIn(lane) == nullptr && next != end) {
        load(lane, *next);
        ++next;
      }
      any = any || startIn(lane) != nullptr;
    }
    return any;
  }

  void load(int lane, const Start& start) {
    std::array<double, kPoseNumbers> pose{};
    poseNumbers(start.tip_pose, pose.data());
    loadPose(pose.data(), rows_.target, lane);
    beginNearest(nearest_, kSize, start.seed, lane);
    for (std::size_t v = 0; v < kSize; ++v) {
      rows_.seeds.q[v].lane[lane] = start.q[v];
    }
    rows_.seeds.moving->lane[lane] = 1.0;
    startIn(lane) = &start;
    steps_[static_cast<std::size_t>(lane)] = 0;
  }

  // Looks at a lane that was measured; returns whether it has come to a solution, or is given up.
  bool isOver(int lane) {
    const Start& start = *startIn(lane);
    const double error = std::max(rows_.seeds.position_error->lane[lane],
                                  rows_.seeds.orientation_error->lane[lane]);
    double& slides = nearest_.slides->lane[lane];
    if (error <= exact_) {
      keep(lane, start);
      if (slides == 0.0) {
        return true;
      }
    }
    if (error < kAlmost) {
      const double left = nearest_.left->lane[lane];
      const double distance = nearest_.distance->lane[lane];
      // By what is known beforehand: when it is given up must not depend on other lanes.
      if (steps_[static_cast<std::size_t>(lane)] >= kPatience &&
          distance - kBent * left > start.bound) {
        return true;
      }
      if (left <= squared(kLeft) * distance + squared(kShort)) {
        slides = 0.0;
      }
    }
    return ++steps_[static_cast<std::size_t>(lane)] > kMostSteps;
  }

  void keep(int lane, const Start& start) {
    NearestRow<kSize> row;
    row.distance = 0.0;
    for (std::size_t v = 0; v < kSize; ++v) {
      row.q[v] = rows_.seeds.q[v].lane[lane];
      row.distance += squared(weights_[v] * (row.q[v] - start.seed[v]));
    }
    if (row.distance < start.nearest->distance) {
      *start.nearest = row;
    }
  }

  const BoundsOf<kSize>& bounds_;
  double exact_;
  const double* weights_;
  LaneOptions options_;
  LaneChain chain_{};
  Row scale_{};
  LaneRows rows_{};
  NearestRows nearest_{};
  std::array<const Start*, kLanes> start_in_{};
  std::array<int, kLanes> steps_{};
};

}  // namespace generative_ik::answers

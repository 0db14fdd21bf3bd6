#include "descents.hpp"

#include <algorithm>
#include <limits>

#include "../local_solver/lane_rows.hpp"

namespace generative_ik::search {
namespace {

// Steps after which a start is given up.
constexpr int kMostSteps = 40;
// A configuration is the nearest on its curve where the slide that is left is so small a share of
// its distance from the seed state, or so short [rad].
constexpr double kLeft = 1e-2;
constexpr double kShort = 1e-9;
// Errors below which the distance of a configuration says what its solution's will be [m and rad]:
// after a few steps, it becomes less by no more than so many times what the slide that is left
// brings.
constexpr double kAlmost = 1e-3;
constexpr double kBent = 2.0;
constexpr int kPatience = 6;
// What joints count at the least: where one counts nothing, steps would have no bounds.
constexpr double kLeastWeight = 1e-3;

}  // namespace

void DescentMemory::begin(std::int64_t num_targets, std::int64_t size) {
  size_ = size;
  starts_.clear();
  rows_.clear();
  distances_.assign(static_cast<std::size_t>(num_targets),
                    std::numeric_limits<double>::infinity());
  nearest_.assign(static_cast<std::size_t>(num_targets * size),
                  std::numeric_limits<double>::quiet_NaN());
}

void DescentMemory::add(const DescentStart& start, const double* q) {
  starts_.push_back(start);
  rows_.insert(rows_.end(), q, q + size_);
}

Descents::Descents(const DescentProblem& problem, DescentMemory& memory)
    : problem_(problem), memory_(memory), chain_(problem.chain) {
  const std::int64_t size = chain_.num_variables;
  memory.scale_.resize(static_cast<std::size_t>(size));
  std::transform(problem.weights, problem.weights + size, memory.scale_.begin(),
                 [](double weight) { return 1.0 / std::max(weight, kLeastWeight); });
  chain_.scale = memory.scale_.data();
  const std::int64_t rows = countRows(chain_.num_joints, size);
  memory.lanes_.assign(static_cast<std::size_t>(rows + countNearestRows(size)), LaneRow{});
  rows_ = rowsIn(memory.lanes_.data(), chain_.num_joints, size);
  nearest_ = nearestRowsIn(memory.lanes_.data() + rows, size);
  clearLanes(rows_, size, problem.options);
  start_in_.fill(kNone);
}

void Descents::run() {
  const LaneKernel& kernel = laneKernel();
  while (fill()) {
    kernel.measure(chain_, rows_);
    bool any = false;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (startIn(lane) != kNone && isOver(lane)) {
        startIn(lane) = kNone;
        rows_.seeds.moving->lane[lane] = 0.0;
      }
      any = any || startIn(lane) != kNone;
    }
    if (any) {
      kernel.advance_nearest(chain_, problem_.options, rows_, nearest_, problem_.soft_lower,
                             problem_.soft_upper);
    }
  }
}

bool Descents::fill() {
  bool any = false;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (startIn(lane) == kNone && next_ < memory_.numStarts()) {
      load(lane, next_);
      ++next_;
    }
    any = any || startIn(lane) != kNone;
  }
  return any;
}

void Descents::load(int lane, std::int64_t start) {
  const DescentStart& from = memory_.starts_[static_cast<std::size_t>(start)];
  std::array<double, kPoseNumbers> pose{};
  poseNumbers(from.tip_pose, pose.data());
  loadPose(pose.data(), rows_.target, lane);
  beginNearest(nearest_, memory_.size_, from.seed, lane);
  for (std::int64_t v = 0; v < memory_.size_; ++v) {
    rows_.seeds.q[v].lane[lane] =
        memory_.rows_[static_cast<std::size_t>(start * memory_.size_ + v)];
  }
  rows_.seeds.moving->lane[lane] = 1.0;
  startIn(lane) = start;
  steps_[static_cast<std::size_t>(lane)] = 0;
}

bool Descents::isOver(int lane) {
  const DescentStart& start = memory_.starts_[static_cast<std::size_t>(startIn(lane))];
  int& steps = steps_[static_cast<std::size_t>(lane)];
  double& slides = nearest_.slides->lane[lane];
  const LaneOptions& options = problem_.options;
  const double position =
      options.position_weight == 0.0 ? 0.0 : rows_.seeds.position_error->lane[lane];
  const double chord =
      options.orientation_weight == 0.0 ? 0.0 : rows_.seeds.orientation_error->lane[lane];
  const double error = std::max(position, chord);
  if (error <= problem_.exact) {
    keep(lane, start);
    if (slides == 0.0) {
      return true;
    }
  }
  if (error < kAlmost) {
    const double left = nearest_.left->lane[lane];
    const double distance = nearest_.distance->lane[lane];
    // By what is known beforehand: when it is given up must not depend on other lanes.
    if (steps >= kPatience && distance - kBent * left > start.bound) {
      return true;
    }
    if (left <= squared(kLeft) * distance + squared(kShort)) {
      slides = 0.0;
    }
  }
  return ++steps > kMostSteps;
}

void Descents::keep(int lane, const DescentStart& start) {
  double distance = 0.0;
  for (std::int64_t v = 0; v < memory_.size_; ++v) {
    distance += squared(problem_.weights[v] * (rows_.seeds.q[v].lane[lane] - start.seed[v]));
  }
  double& least = memory_.distances_[static_cast<std::size_t>(start.target)];
  if (distance < least) {
    least = distance;
    for (std::int64_t v = 0; v < memory_.size_; ++v) {
      memory_.nearest_[static_cast<std::size_t>(start.target * memory_.size_ + v)] =
          rows_.seeds.q[v].lane[lane];
    }
  }
}

}  // namespace generative_ik::search

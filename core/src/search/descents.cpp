#include "descents.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../local_solver/lane_rows.hpp"
#include "recurrence.hpp"

namespace generative_ik::search {
namespace {

// Steps after which a start is given up.
constexpr int kMostSteps = 40;
// A configuration is the nearest on its curve where the slide that is left, and the error, are so
// small a share of its distance from the seed state, or so small [rad].
constexpr double kLeft = 1e-2;
constexpr double kShort = 1e-9;
// Errors below which the distance of a configuration says what its solution's will be [m and rad]:
// after a few steps, it becomes less by no more than so many times what the slide that is left
// brings.
constexpr double kAlmost = 1e-3;
constexpr double kBent = 2.0;
constexpr int kPatience = 6;
// A start is given up whose error is larger, and not reduced to this share in so many steps.
constexpr int kStalled = 6;
constexpr double kReduced = 0.7;
// A brief start is given up where the error is larger at the beginning, or after so many steps
// [m and rad].
constexpr double kFarError = 1.2;
constexpr int kFirstSteps = 2;
constexpr double kNearError = 0.1;
// Starts about a seed state, and how far their joints are from it at the most [rad].
constexpr std::int64_t kAbout = kLanes - 1;
constexpr double kApart = 0.25;
// What joints count at the least: where one counts nothing, steps would have no bounds.
constexpr double kLeastWeight = 1e-3;

}  // namespace

void DescentMemory::begin(std::int64_t num_targets, std::int64_t size) {
  size_ = size;
  starts_.clear();
  rows_.clear();
  distances_.assign(static_cast<std::size_t>(num_targets),
                    std::numeric_limits<double>::infinity());
  settled_.assign(static_cast<std::size_t>(num_targets), 0);
  nearest_.assign(static_cast<std::size_t>(num_targets * size),
                  std::numeric_limits<double>::quiet_NaN());
}

double* DescentMemory::add(const DescentStart& start) {
  const std::size_t before = rows_.size();
  starts_.push_back(start);
  rows_.resize(before + static_cast<std::size_t>(size_));
  return rows_.data() + before;
}

void DescentMemory::add(const DescentStart& start, const double* q) {
  std::copy_n(q, size_, add(start));
}

void DescentMemory::clearStarts() {
  starts_.clear();
  rows_.clear();
}

void addAbout(const DescentStart& start, const std::vector<double>& apart, const double* lower,
              const double* upper, DescentMemory& memory) {
  const std::int64_t size = memory.size();
  for (std::int64_t k = 0; k < std::ssize(apart); k += size) {
    double* q = memory.add(start);
    for (std::int64_t v = 0; v < size; ++v) {
      const double x = start.seed[v] + apart[static_cast<std::size_t>(k + v)];
      q[v] = std::min(std::max(x, lower[v]), upper[v]);
    }
  }
}

std::vector<double> apartFromSeed(const double* unit, std::int64_t size) {
  std::vector<double> shift(static_cast<std::size_t>(size));
  std::vector<double> ratios(static_cast<std::size_t>(size));
  writeRecurrence(0, size, shift.data(), ratios.data());
  std::vector<double> apart;
  for (std::int64_t k = 1; k <= kAbout; ++k) {
    for (std::size_t v = 0; v < shift.size(); ++v) {
      const double point = shift[v] + static_cast<double>(k) * ratios[v];
      apart.push_back(kApart * unit[v] * (2.0 * (point - std::floor(point)) - 1.0));
    }
  }
  return apart;
}

Descents::Descents(const DescentProblem& problem, DescentMemory& memory)
    : problem_(problem), memory_(memory), chain_(problem.chain) {
  const std::int64_t size = chain_.num_variables;
  memory.scale_.resize(static_cast<std::size_t>(size));
  std::transform(problem.weights, problem.weights + size, memory.scale_.begin(),
                 [](double weight) { return 1.0 / std::max(weight, kLeastWeight); });
  chain_.scale = memory.scale_.data();
  const std::int64_t rows = countRows(chain_.num_joints, size);
  // A lane's numbers are written when a start is loaded; those before are numbers of other starts.
  memory.lanes_.resize(static_cast<std::size_t>(rows + countNearestRows(size)));
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
    }
    for (int lane = 0; lane < kLanes; ++lane) {
      if (startIn(lane) != kNone && isSettled(startIn(lane))) {
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
    while (next_ < memory_.numStarts() && isSettled(next_)) {
      ++next_;
    }
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
  if (from.tip_pose != loaded_) {
    loaded_ = from.tip_pose;
    poseNumbers(loaded_, pose_.data());
  }
  loadPose(pose_.data(), rows_.target, lane);
  beginNearest(nearest_, memory_.size_, from.seed, lane);
  for (std::int64_t v = 0; v < memory_.size_; ++v) {
    rows_.seeds.q[v].lane[lane] =
        memory_.rows_[static_cast<std::size_t>(start * memory_.size_ + v)];
  }
  rows_.seeds.moving->lane[lane] = 1.0;
  startIn(lane) = start;
  steps_[static_cast<std::size_t>(lane)] = 0;
  before_[static_cast<std::size_t>(lane)] = std::numeric_limits<double>::infinity();
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
  const double left = nearest_.left->lane[lane];
  const double distance = nearest_.distance->lane[lane];
  if (steps > 0 && error < kAlmost) {
    // By what is known beforehand: when it is given up must not depend on other lanes.
    if (steps >= kPatience && distance - kBent * left > start.bound) {
      return true;
    }
    if (left <= squared(kLeft) * distance + squared(kShort) &&
        squared(error) <= squared(kLeft) * distance + squared(kShort)) {
      slides = 0.0;
    }
  }
  if (error <= problem_.exact) {
    keep(lane, start);
    // None is nearer than the seed state itself.
    if (slides == 0.0 || memory_.distance(start.target) == 0.0) {
      settle(lane, start);
      return true;
    }
  }
  if (start.brief &&
      ((steps == 0 && error > kFarError) || (steps == kFirstSteps && error > kNearError))) {
    return true;
  }
  if (steps > 0 && steps % kStalled == 0) {
    double& before = before_[static_cast<std::size_t>(lane)];
    if (error >= kAlmost && error > kReduced * before) {
      return true;
    }
    before = error >= kAlmost ? error : std::numeric_limits<double>::infinity();
  }
  return ++steps > kMostSteps;
}

bool Descents::isSettled(std::int64_t start) const {
  return memory_.isSettled(memory_.starts_[static_cast<std::size_t>(start)].target);
}

double Descents::squaredDistance(int lane, const DescentStart& start) const {
  double distance = 0.0;
  for (std::int64_t v = 0; v < memory_.size_; ++v) {
    distance += squared(problem_.weights[v] * (rows_.seeds.q[v].lane[lane] - start.seed[v]));
  }
  return distance;
}

void Descents::settle(int lane, const DescentStart& start) {
  bool inside = true;
  for (std::int64_t v = 0; v < memory_.size_; ++v) {
    const double q = rows_.seeds.q[v].lane[lane];
    inside = inside && problem_.soft_lower[v] < q && q < problem_.soft_upper[v];
  }
  if (inside && squaredDistance(lane, start) <= start.settles) {
    const auto target = static_cast<std::size_t>(start.target);
    memory_.distances_[target] = std::numeric_limits<double>::infinity();
    keep(lane, start);
    memory_.settled_[target] = 1;
  }
}

void Descents::keep(int lane, const DescentStart& start) {
  if (isSettled(startIn(lane))) {
    return;
  }
  const double distance = squaredDistance(lane, start);
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

#include "descents.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "../local_solver/lane_rows.hpp"
#include "recurrence.hpp"

namespace generative_ik::search {
namespace {

// Steps after which a start is given up.
constexpr int kMostSteps = 40;
// A configuration is the nearest on its curve where the last slide was so small a share of its
// distance from the seed state, and its error is so small a one, or they were so small [rad]. What
// is left is a fraction of the last slide, and the distance is at its minimum there.
constexpr double kLastSlide = 0.05;
constexpr double kError = 1e-2;
constexpr double kShort = 1e-9;
// Share of the distance below which errors change it by less than what matters.
constexpr double kKnown = 1e-4;
// Errors below which the next step makes them much smaller [m and rad].
constexpr double kAlmost = 1e-3;
// A start counts beside the best one if it comes to this share of its distance.
constexpr double kNearer = 0.998;
// What comes to so many times the squared distance that settles a target does not.
constexpr double kUnsettled = 1.2;
// By how much the error after a step has to be less than it must be for this to be sure.
constexpr double kMargin = 10.0;
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
  clearStarts();
  best_.assign(static_cast<std::size_t>(num_targets), -1);
  open_.assign(static_cast<std::size_t>(num_targets), 0);
  distances_.assign(static_cast<std::size_t>(num_targets),
                    std::numeric_limits<double>::infinity());
  settled_.assign(static_cast<std::size_t>(num_targets), 0);
  nearest_.assign(static_cast<std::size_t>(num_targets * size),
                  std::numeric_limits<double>::quiet_NaN());
}

void DescentMemory::forget(std::int64_t target) {
  distances_[static_cast<std::size_t>(target)] = std::numeric_limits<double>::infinity();
  std::fill_n(nearest_.begin() + size_ * target, size_, std::numeric_limits<double>::quiet_NaN());
}

double* DescentMemory::add(const DescentStart& start) {
  const std::size_t before = rows_.size();
  starts_.push_back(start);
  ranks_.push_back(std::numeric_limits<double>::infinity());
  exact_.push_back(0);
  ++open_[static_cast<std::size_t>(start.target)];
  rows_.resize(before + static_cast<std::size_t>(size_));
  return rows_.data() + before;
}

void DescentMemory::add(const DescentStart& start, const double* q) {
  std::copy_n(q, size_, add(start));
}

void DescentMemory::clearStarts() {
  starts_.clear();
  rows_.clear();
  ranks_.clear();
  exact_.clear();
  best_.assign(best_.size(), -1);
  open_.assign(open_.size(), 0);
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
  rules_ = {.exact = problem.exact,
            .margin = problem.spares ? kMargin : std::numeric_limits<double>::infinity(),
            .almost = kAlmost,
            .left_share = kLastSlide,
            .error_share = kError,
            .tiny = kShort,
            .known_share = kKnown,
            .far_error = kFarError,
            .near_error = kNearError,
            .first_steps = kFirstSteps,
            .most_steps = kMostSteps};
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
}

void Descents::run() {
  const LaneKernel& kernel = laneKernel();
  while (fill()) {
    kernel.measure(chain_, rows_);
    judge(kernel.look(problem_.options, rules_, rows_, nearest_));
    if (busy_ != 0) {
      judgeSteps(kernel.advance_nearest(chain_, problem_.options, rows_, nearest_,
                                        problem_.soft_lower, problem_.soft_upper));
    }
  }
  for (const std::int64_t start : memory_.best_) {
    if (start != kNone) {
      keep(memory_.rows_.data() + memory_.size_ * start,
           memory_.starts_[static_cast<std::size_t>(start)]);
    }
  }
}

bool Descents::fill() {
  const auto& starts = memory_.starts_;
  constexpr LaneSet kAll = (1U << kLanes) - 1U;
  for (; next_ < memory_.numStarts() && busy_ != kAll; ++next_) {
    const auto next = static_cast<std::size_t>(next_);
    const std::int64_t target = starts[next].target;
    if (memory_.isSettled(target)) {
      continue;
    }
    const bool is_first = next_ == 0 || starts[next - 1].target != target;
    const int num_free = kLanes - std::popcount(busy_);
    if (is_first && busy_ != 0 && countAlike(next_) > num_free) {
      break;
    }
    load(std::countr_one(busy_), next_);
  }
  return busy_ != 0;
}

std::int64_t Descents::countAlike(std::int64_t start) const {
  const auto begin = memory_.starts_.begin() + start;
  return std::find_if(
             begin, memory_.starts_.end(),
             [begin](const DescentStart& other) { return other.target != begin->target; }) -
         begin;
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
  const auto i = static_cast<std::size_t>(lane);
  busy_ |= bitOf(lane);
  ranked_ &= ~bitOf(lane);
  settling_ = from.settles < 0.0 ? settling_ & ~bitOf(lane) : settling_ | bitOf(lane);
  start_in_[i] = start;
  nearest_.bound->lane[lane] = boundOf(lane);
  nearest_.brief->lane[lane] = from.brief ? 1.0 : 0.0;
  nearest_.check_at->lane[lane] = kStalled;
  before_[i] = std::numeric_limits<double>::infinity();
}

void Descents::judge(const NearestSigns& signs) {
  LaneSet over = (signs.far | signs.late) & busy_;
  for (LaneSet some = signs.due & busy_; some != 0; some &= some - 1) {
    const int lane = std::countr_zero(some);
    over |= isStalled(lane) ? bitOf(lane) : 0U;
  }
  for (LaneSet some = signs.close & ~ranked_ & busy_; some != 0; some &= some - 1) {
    const int lane = std::countr_zero(some);
    nearest_.slides->lane[lane] = 0.0;
    if (isIn(signs.known, lane)) {
      rank(lane, squaredDistance(take(lane), from(lane)));
    }
  }
  const LaneSet exact = signs.exact & busy_;
  for (LaneSet some = exact; some != 0; some &= some - 1) {
    const int lane = std::countr_zero(some);
    if (nearest_.slides->lane[lane] != 0.0) {
      keep(take(lane), from(lane));
      if (memory_.distance(from(lane).target) > 0.0) {  // else none is nearer
        continue;
      }
    }
    if (!isIn(ranked_, lane)) {
      rank(lane, squaredDistance(take(lane), from(lane)));
    }
    if (isIn(busy_, lane)) {
      finish(lane);
    }
  }
  for (LaneSet some = over & busy_; some != 0; some &= some - 1) {
    giveUp(std::countr_zero(some));
  }
  leaveDecided();
  soon_ = signs.soon & ~ranked_ & busy_;
  sure_ = signs.sure & (ranked_ | soon_) & busy_;
}

void Descents::judgeSteps(LaneSet beyond) {
  for (LaneSet some = soon_; some != 0; some &= some - 1) {
    const int lane = std::countr_zero(some);
    const double ahead = nearest_.ahead->lane[lane];
    if (std::isfinite(ahead) && isInside(take(lane))) {  // else a limit may shorten the step
      rank(lane, ahead);
    }
  }
  for (LaneSet some = sure_ & ranked_ & busy_; some != 0; some &= some - 1) {
    finish(std::countr_zero(some));
  }
  for (LaneSet some = beyond & ~ranked_ & busy_; some != 0; some &= some - 1) {
    const int lane = std::countr_zero(some);
    const double bound = nearest_.bound->lane[lane];
    if (isIn(settling_, lane)) {
      unsettle(lane);
    }
    if (nearest_.bound->lane[lane] <= bound) {
      giveUp(lane);
    }
  }
  leaveDecided();
}

bool Descents::isStalled(int lane) {
  nearest_.check_at->lane[lane] += kStalled;
  double& before = before_[static_cast<std::size_t>(lane)];
  const double error = nearest_.worst->lane[lane];
  const bool is_large = error >= kAlmost;
  const bool stalled = is_large && error > kReduced * before;
  before = is_large ? error : std::numeric_limits<double>::infinity();
  return stalled;
}

void Descents::rank(int lane, double distance) {
  const std::int64_t start = startIn(lane);
  const auto target = static_cast<std::size_t>(from(lane).target);
  nearest_.slides->lane[lane] = 0.0;
  ranked_ |= bitOf(lane);
  memory_.ranks_[static_cast<std::size_t>(start)] = distance;
  std::int64_t& best = memory_.best_[target];
  best = nearerOf(best, start);
  --memory_.open_[target];
  changed_ |= best == start || memory_.open_[target] == 0;
  if (isIn(settling_, lane) && kUnsettled * from(lane).settles < distance) {
    unsettle(lane);
  }
  if (!isIn(settling_, lane) && from(lane).bound < distance) {
    giveUp(lane);
  }
}

void Descents::unsettle(int lane) {
  settling_ &= ~bitOf(lane);
  nearest_.bound->lane[lane] = boundOf(lane);
}

double Descents::boundOf(int lane) const {
  const DescentStart& start = from(lane);
  const std::int64_t best = memory_.best_[static_cast<std::size_t>(start.target)];
  if (isIn(settling_, lane)) {
    return kUnsettled * start.settles;
  }
  return best == kNone ? start.bound
                       : std::min(start.bound, squared(kNearer) *
                                                   memory_.ranks_[static_cast<std::size_t>(best)]);
}

void Descents::finish(int lane) {
  const DescentStart& start = from(lane);
  const double* q = take(lane);
  memory_.exact_[static_cast<std::size_t>(startIn(lane))] = 1;
  if (isIn(settling_, lane) && squaredDistance(q, start) <= start.settles && isInside(q)) {
    const auto target = static_cast<std::size_t>(start.target);
    memory_.distances_[target] = std::numeric_limits<double>::infinity();
    keep(q, start);
    memory_.settled_[target] = 1;
  }
  changed_ = true;
  leave(lane);
}

void Descents::giveUp(int lane) {
  const std::int64_t target = from(lane).target;
  std::int64_t& best = memory_.best_[static_cast<std::size_t>(target)];
  if (!isIn(ranked_, lane)) {
    --memory_.open_[static_cast<std::size_t>(target)];
    changed_ |= memory_.open_[static_cast<std::size_t>(target)] == 0;
  } else {
    memory_.ranks_[static_cast<std::size_t>(startIn(lane))] =
        std::numeric_limits<double>::infinity();
    if (best == startIn(lane)) {
      best = bestOf(target);
      changed_ = true;
    }
  }
  leave(lane);
}

void Descents::leave(int lane) {
  busy_ &= ~bitOf(lane);
  rows_.seeds.moving->lane[lane] = 0.0;
}

void Descents::leaveDecided() {
  if (!changed_) {
    return;
  }
  changed_ = false;
  for (LaneSet some = busy_; some != 0; some &= some - 1) {
    const int lane = std::countr_zero(some);
    const std::int64_t target = from(lane).target;
    // What settles a target does so whatever others come to.
    if (memory_.isSettled(target) || (!isIn(settling_, lane) && isDecided(target))) {
      leave(lane);
    } else {
      nearest_.bound->lane[lane] = boundOf(lane);
    }
  }
}

bool Descents::isDecided(std::int64_t target) const {
  const auto t = static_cast<std::size_t>(target);
  const std::int64_t best = memory_.best_[t];
  return memory_.open_[t] == 0 && best != kNone &&
         memory_.exact_[static_cast<std::size_t>(best)] != 0;
}

std::int64_t Descents::nearerOf(std::int64_t a, std::int64_t b) const {
  if (a == kNone) {
    return b;
  }
  const double first = memory_.ranks_[static_cast<std::size_t>(a)];
  const double second = memory_.ranks_[static_cast<std::size_t>(b)];
  return second < first || (second == first && b < a) ? b : a;
}

std::int64_t Descents::bestOf(std::int64_t target) const {
  std::int64_t best = kNone;
  for (std::int64_t k = 0; k < memory_.numStarts(); ++k) {
    const auto start = static_cast<std::size_t>(k);
    if (memory_.starts_[start].target == target && std::isfinite(memory_.ranks_[start])) {
      best = nearerOf(best, k);
    }
  }
  return best;
}

bool Descents::isInside(const double* q) const {
  bool inside = true;
  for (std::int64_t v = 0; v < memory_.size_; ++v) {
    inside = inside && problem_.soft_lower[v] < q[v] && q[v] < problem_.soft_upper[v];
  }
  return inside;
}

double Descents::squaredDistance(const double* q, const DescentStart& start) const {
  double distance = 0.0;
  for (std::int64_t v = 0; v < memory_.size_; ++v) {
    distance += squared(problem_.weights[v] * (q[v] - start.seed[v]));
  }
  return distance;
}

double* Descents::take(int lane) {
  double* q = memory_.rows_.data() + memory_.size_ * startIn(lane);
  for (std::int64_t v = 0; v < memory_.size_; ++v) {
    q[v] = rows_.seeds.q[v].lane[lane];
  }
  return q;
}

void Descents::keep(const double* q, const DescentStart& start) {
  if (memory_.isSettled(start.target)) {
    return;
  }
  const double distance = squaredDistance(q, start);
  double& least = memory_.distances_[static_cast<std::size_t>(start.target)];
  if (distance < least) {
    least = distance;
    std::copy_n(q, memory_.size_, memory_.nearest_.begin() + memory_.size_ * start.target);
  }
}

verify::PoseGap measureNearest(const DescentProblem& problem,
                               const verify::RodriguesChain& verifier, const double* tip_pose,
                               const double* seed, double* q) {
  const verify::PoseGap gap = verify::measureOne(verifier, q, tip_pose);
  const bool is_exact = gap.distance < problem.exact && gap.angle < problem.exact;
  if (!problem.spares || is_exact || std::isnan(*q)) {  // there may be none
    return gap;
  }
  DescentProblem unsure = problem;
  unsure.spares = false;
  DescentMemory memory;
  memory.begin(1, problem.chain.num_variables);
  memory.add({.tip_pose = tip_pose, .seed = seed, .bound = kInfinity}, q);
  Descents(unsure, memory).run();
  if (!std::isfinite(memory.distance(0))) {
    return gap;
  }
  std::copy_n(memory.nearest(0), memory.size(), q);
  return verify::measureOne(verifier, q, tip_pose);
}

}  // namespace generative_ik::search

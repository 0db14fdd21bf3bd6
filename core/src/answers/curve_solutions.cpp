#include "curve_solutions.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "../select/diverse_order.hpp"
#include "../select/full_turns.hpp"
#include "../simd/constants.hpp"

namespace generative_ik::answers {
namespace {

// Samples that there is room for besides one for each solution wanted, and where all solutions
// are.
constexpr std::int64_t kRoom = 512;
constexpr int kRoomForAll = 16384;
// Where so many solutions are wanted, as many as there are are looked for at once.
constexpr std::int64_t kVeryMany = 1000;

// Largest distance between the angles that are begun with [rad], a power of two times the largest
// where solutions are few, for it is halved; and where more solutions than many are wanted, the
// same times their number: curves that lie between two angles are missed.
constexpr double kCoarse = 0.24;
constexpr double kFine = 10.0;
// Every other angle will do if there are so many solutions for each one that is wanted.
constexpr double kRich = 2.0;

// Samples are no further apart than this on their curves [rad], nearer where more are wanted.
constexpr double kSpacing = 0.55;
// Nor nearer than so many distinct distances, for there are few solutions left between; and where
// all are wanted, so that those that are kept lie close.
constexpr double kFinest = 1.3;
// Bounds of the factor by which samples come nearer at a time.
constexpr double kSlowest = 0.8;
constexpr double kFastest = 0.1;
// The same where some solutions are not distinct: it aims at a few more than are missing.
constexpr double kSomeSame = 0.65;
constexpr double kALittleMore = 0.92;
// Where all are wanted, curves are taken for straight between samples that are no further apart
// than a distinct distance, and than this [rad].
constexpr double kStraight = 0.06;
// Distinct distances by which solutions are apart at the least there: they move a little when they
// are made exact.
constexpr double kBarely = 1.01;
// By how much what leaves a solution behind is beyond its reach, as a share of a segment.
constexpr double kBeyond = 1e-9;
// The least share of a segment that is passed at once: of a joint that hardly moves, rounding may
// tell again and again that it is just about to leave a solution behind.
constexpr double kLeastShare = 1e-3;
// Largest distance between angles if there are few solutions [rad].
constexpr double kWidest = 0.03;
// So many times further apart may angles be that have no branches; but not where fewer of the
// angles that are begun with have solutions than some: then a singular configuration may be near,
// and long curves lie within little of the locked joint.
constexpr double kEmpty = 4.0;
constexpr int kFewPoints = 3;
// Where samples come nearer than this, short curves are worth as much as further samples [rad].
constexpr double kClose = 0.15;

double coarseFor(std::int64_t wanted) {
  return wanted <= kManyOnCurves ? kCoarse : kFine / static_cast<double>(wanted);
}

/// The straight way of a branch from a sample to the next, as far as it is within the bounds.
class BranchSegment {
 public:
  /// Of branch k of samples i and j, at least one of which is within the bounds.
  BranchSegment(const CurveProblem& problem, const CurveSamples& samples, int i, int j, int k)
      : circular_(problem.bounds.circular) {
    const bool leaves = !samples[i].isInside(k) || !samples[j].isInside(k);
    const double* from = samples.branches(i).rows[k];
    const double* to = samples.branches(j).rows[k];
    const auto joint = static_cast<std::size_t>(problem.joint.index);
    const auto first_other = static_cast<std::size_t>(problem.joint.firstOther());
    begin_[joint] = samples[i].angle;
    change_[joint] = samples[j].angle - samples[i].angle;
    // No joint of the arm is the coordinate of a region.
    if (problem.inRegion()) {
      joints_ = {first_other, first_other + kJoints};
    }
    const CurveBounds& bounds = problem.bounds;
    for (std::size_t other = 0; other < kJoints; ++other) {
      const std::size_t v = first_other + other;
      begin_[v] = from[other];
      change_[v] = to[other] - from[other];
      if (circular_[v]) {
        change_[v] -= kTurn * simd::nearestInteger(change_[v] * (1.0 / kTurn));
      } else if (leaves) {
        cut(v, bounds.lower[v], bounds.upper[v]);
      }
    }
  }

  /// Where it is within the bounds first, and last: from 0 to 1.
  [[nodiscard]] double begin() const { return first_; }
  [[nodiscard]] double end() const { return last_; }

  /// Whether no joint moves by more than this.
  [[nodiscard]] bool isShorterThan(double length) const {
    return std::all_of(change_.begin(), change_.end(),
                       [length](double change) { return std::abs(change) < length; });
  }

  void writeAt(double place, double* row) const {
    for (std::size_t v = 0; v < change_.size(); ++v) {
      row[v] = begin_[v] + place * change_[v];
    }
  }

  /// Where it leaves, from a place on, what is the same as a row there.
  [[nodiscard]] double placeBehind(const double* row, double distance, double from) const {
    double least = kInfinity;
    for (std::size_t v = joints_[0]; v < joints_[1]; ++v) {
      double apart = begin_[v] + from * change_[v] - row[v];
      if (circular_[v]) {
        apart -= kTurn * simd::nearestInteger(apart * (1.0 / kTurn));
      }
      const double rest = change_[v] > 0.0 ? distance - apart : distance + apart;
      least = std::min(least, rest / std::abs(change_[v]));
    }
    return from + least;
  }

 private:
  // Leaves the part where a joint is within its bounds.
  void cut(std::size_t v, double lower, double upper) {
    const double ahead = change_[v] > 0.0 ? upper : lower;
    const double behind = change_[v] > 0.0 ? lower : upper;
    if (change_[v] != 0.0) {
      first_ = std::max(first_, (behind - begin_[v]) / change_[v]);
      last_ = std::min(last_, (ahead - begin_[v]) / change_[v]);
    } else if (begin_[v] < lower || begin_[v] > upper) {
      last_ = -1.0;
    }
  }

  const bool* circular_;
  // The first, and behind the last, of those that tell solutions apart.
  std::array<std::size_t, 2> joints_{0, kCurveJoints};
  std::array<double, kCurveJoints> begin_{};
  std::array<double, kCurveJoints> change_{};
  double first_ = 0.0;
  double last_ = 1.0;
};

/// The distinct ones of the solutions at all samples, or also between these.
class DistinctSolutions {
 public:
  DistinctSolutions(const CurveProblem& problem, double distance, std::vector<double>& rows,
                    std::vector<SolutionKey>& keys)
      : problem_(problem),
        distance_(distance),
        joint_(problem.joint.index),
        first_(problem.joint.firstOther()),
        circular_(problem.bounds.circular + first_),
        rows_(rows),
        keys_(keys) {
    last_of_branch_.fill(-1);
    // No joint of the arm is the coordinate of a region, which is all of them together.
    const double all_together = kJoints * distance * leverOf(problem.joint);
    reach_ = problem.inRegion() ? all_together : distance;
  }

  /// Writes those at the samples, which have `some` solutions, to the rows; returns how many.
  std::int64_t write(const CurveSamples& samples, std::int64_t some) {
    makeRoom(some);
    eachAngle(samples, [&](int i, int /*next*/) {
      for (int k = 0; k < samples[i].count; ++k) {
        keepSample(samples, i, k);
      }
    });
    return count_;
  }

  /// The same, with what lies between samples, the first on each curve that is so far from the
  /// last: on the straight way from sample to sample, as exact as curves are straight within the
  /// distance. There samples are no further apart.
  std::int64_t writeBetween(const CurveSamples& samples, std::int64_t some) {
    makeRoom(2 * some);
    eachAngle(samples, [&](int i, int next) {
      const bool straight = next >= 0 && samples[i].count == samples[next].count;
      for (int k = 0; k < samples[i].count; ++k) {
        if (!straight) {
          keepSample(samples, i, k);
        } else if (samples[i].isInside(k) || samples[next].isInside(k)) {
          keepBetween(samples, i, next, k);
        }
      }
    });
    return count_;
  }

 private:
  void makeRoom(std::int64_t most) {
    rows_.resize(static_cast<std::size_t>(most * kCurveJoints));
    keys_.resize(static_cast<std::size_t>(most));
  }

  // Calls a function with each sample and the next, -1 if there is none.
  template <class Function>
  void eachAngle(const CurveSamples& samples, const Function& function) {
    const CurveBounds& bounds = problem_.bounds;
    const bool around = bounds.circular[joint_];
    begin_ = around ? samples[0].angle : kInfinity;
    // Of a whole turn the last angle is the first.
    for (int i = 0; i >= 0 && !(around && samples[i].after < 0); i = samples[i].after) {
      // Angles come in their order, so what is out of reach stays so.
      while (near_ < count_ && !(samples[i].angle - keyOf(near_).angle < reach_)) {
        ++near_;
      }
      function(i, samples[i].after);
    }
    for (std::int64_t k = 0; around && k < count_; ++k) {
      double& q = row(k)[joint_];
      q = turnTowards(q, bounds.reference[joint_], bounds.lower[joint_], bounds.upper[joint_]);
    }
  }

  double* row(std::int64_t k) { return rows_.data() + k * kCurveJoints; }
  SolutionKey& keyOf(std::int64_t k) { return keys_[static_cast<std::size_t>(k)]; }

  // Whether a solution that was kept is the same as a branch at an angle from its own.
  [[nodiscard]] bool isSameAs(std::int64_t known, double from_its_angle, const double* branch) {
    return std::abs(from_its_angle) < reach_ &&
           isSame(row(known) + first_, branch, kJoints, circular_, distance_);
  }

  // Keeps branch k of a sample if it is within the bounds and no solution that was kept is the
  // same.
  void keepSample(const CurveSamples& samples, int i, int k) {
    if (samples[i].isInside(k)) {
      keep(samples[i].angle, samples.branches(i).rows[k], k);
    }
  }

  // Keeps what branch k has between two samples.
  void keepBetween(const CurveSamples& samples, int i, int next, int k) {
    const std::int64_t before = last_of_branch_[static_cast<std::size_t>(k)];
    const auto is_known = [&](int sample) {
      return samples[sample].isInside(k) &&
             isSameAs(before, samples[sample].angle - keyOf(before).angle,
                      samples.branches(sample).rows[k]);
    };
    // What is the same as a solution fills a box around it.
    if (before >= near_ && is_known(next) && is_known(i)) {
      return;
    }
    const BranchSegment segment(problem_, samples, i, next, k);
    if (!segment.isShorterThan(std::min(kStraight, distance_))) {
      keepSample(samples, i, k);
      return;
    }
    std::array<double, kCurveJoints> there{};
    double place = segment.begin();
    while (place <= segment.end()) {
      segment.writeAt(place, there.data());
      const double angle = there[static_cast<std::size_t>(joint_)];
      const std::int64_t same = keep(angle, there.data() + first_, k);
      const double behind =
          segment.placeBehind(row(same < 0 ? count_ - 1 : same), distance_, place);
      place = std::max(place + kLeastShare, behind + kBeyond);
    }
  }

  // Keeps a row of branch k, without the locked joint; returns -1, or which one is the same.
  std::int64_t keep(double angle, const double* branch, int k) {
    // Mostly it is the one before it on its curve.
    std::int64_t& before = last_of_branch_[static_cast<std::size_t>(k)];
    if (before >= near_ && isSameAs(before, angle - keyOf(before).angle, branch)) {
      return before;
    }
    double sum = 0.0;
    for (int v = 0; v < kJoints; ++v) {
      sum += circular_[v] ? 0.0 : branch[v];
    }
    const double most_apart = kJoints * distance_;
    for (std::int64_t other = count_; other-- > near_;) {
      if (std::abs(sum - keyOf(other).sum) < most_apart &&
          isSameAs(other, angle - keyOf(other).angle, branch)) {
        return other;
      }
    }
    for (std::int64_t other = 0; other < count_ && keyOf(other).angle - begin_ < reach_; ++other) {
      const double ahead = keyOf(other).angle + kTurn - angle;
      if (ahead >= reach_) {
        break;
      }
      if (isSameAs(other, ahead, branch)) {
        return other;
      }
    }
    before = count_;
    std::copy_n(branch, kJoints, row(count_) + first_);
    row(count_)[joint_] = angle;
    keyOf(count_) = {angle, sum};
    ++count_;
    return -1;
  }

  const CurveProblem& problem_;
  double distance_;
  int joint_;
  int first_;
  const bool* circular_;  // of the six others
  double reach_;          // how far the locked joint of the same solution may be [rad or m]
  std::vector<double>& rows_;
  std::vector<SolutionKey>& keys_;
  double begin_ = kInfinity;  // the first angle, where a full turn leads back to it
  std::int64_t count_ = 0;
  std::int64_t near_ = 0;  // the first solution whose locked joint is within reach
  std::array<std::int64_t, closed_form::kBranches> last_of_branch_{};  // -1: none
};

/// The targets of rows on curves. Where they are those of a region, each has its own.
RowTargets targetsOnCurves(const CurveProblem& problem, const double* tip_pose, std::int64_t count,
                           const double* positions, std::vector<double>& memory) {
  if (!problem.inRegion()) {
    return {tip_pose};
  }
  memory.resize(static_cast<std::size_t>(count * kOfPose));
  const auto target = closed_form::TipPose<double>::of(tip_pose);
  for (std::int64_t k = 0; k < count; ++k) {
    const double coordinate = positions[k * kCurveJoints + problem.joint.index];
    closed_form::writePose(closed_form::poseWithout(problem.joint, target, coordinate),
                           memory.data() + k * kOfPose);
  }
  return {tip_pose, memory.data()};
}

/// Makes exact what is near to distinct solutions, and drops what has come to another; returns how
/// many are left.
std::int64_t makeAllExact(const CurveProblem& problem, const double* tip_pose, std::int64_t count,
                          std::vector<double>& positions, CurveMemory& memory) {
  memory.gaps.resize(static_cast<std::size_t>(count));
  const SolutionRows rows = {positions.data(), kCurveJoints, memory.gaps.data()};
  const RowTargets targets =
      targetsOnCurves(problem, tip_pose, count, positions.data(), memory.targets);
  makeExact(problem.chain, problem.rowBounds(), targets, count, rows, memory.verified);
  return dropDuplicates(problem.rowBounds(), problem.chain.numJoints(), count,
                        problem.inRegion() ? 0 : problem.joint.index, rows, memory.verified);
}

/// Finds as many distinct solutions as there are. What is found does not depend on how many are
/// wanted, so who asks for more never gets less.
OnCurves findAll(const CurveProblem& problem, const double* tip_pose, std::vector<double>& rows,
                 CurveMemory& memory) {
  const double distance = kBarely * problem.distance;
  // A power of two times smaller or larger than that distance, so that solutions are no further
  // apart where the locked joint moves furthest.
  const double coarse = kWidest * problem.joint.unit;
  const double step = distance / std::exp2(std::ceil(std::log2(distance / coarse)));
  CurveSamples samples(problem, tip_pose, kRoomForAll, memory.samples);
  std::int64_t total = samples.begin(step, kInfinity, step).solutions;
  total += samples.refine({std::min(kStraight, distance), kWidest, kWidest});
  const std::int64_t count =
      DistinctSolutions(problem, distance, rows, memory.keys).writeBetween(samples, total);
  const bool settled = !samples.full() && samples.certainty().unsure == 0 && !samples.leaveFree();
  return {makeAllExact(problem, tip_pose, count, rows, memory), total, settled};
}

/// Finds as many as are wanted, with samples no nearer than it takes.
OnCurves findEnough(const CurveProblem& problem, const double* tip_pose, std::int64_t wanted,
                    int room, CurveMemory& memory) {
  const auto aim = static_cast<double>(wanted);
  const double least = kFinest * problem.distance;
  CurveSamples samples(problem, tip_pose, room, memory.samples);
  const auto begun = samples.begin(coarseFor(wanted) * problem.joint.unit, kRich * aim, 0.0);
  OnCurves found = {0, begun.solutions, false};
  // Where nothing is found at first, short curves are looked for at once.
  Spacing spacing = {kSpacing * std::max(1.0, static_cast<double>(kManyOnCurves) / aim),
                     begun.angles == 0 ? kWidest : kInfinity, 0.0};
  const double empty = begun.angles < kFewPoints ? 1.0 : kEmpty;
  for (;;) {
    spacing.empty = spacing.widest * empty;
    found.branches += samples.refine(spacing);
    if (found.branches == 0) {
      break;
    }
    const bool finest = spacing.near <= least;
    if (found.branches >= wanted || finest) {
      found.count = DistinctSolutions(problem, problem.distance, memory.rows, memory.keys)
                        .write(samples, found.branches);
      found.settled = found.count >= wanted || (finest && spacing.widest < kInfinity);
      if (found.settled) {
        break;
      }
      if (finest) {
        spacing.widest = kWidest;
      }
    }
    if (samples.full()) {
      break;
    }
    double share = std::min(kSlowest, static_cast<double>(found.branches) / aim);
    if (found.branches >= wanted) {
      share = std::max(kSomeSame, kALittleMore * static_cast<double>(found.count) / aim);
    }
    spacing.near = std::max(least, spacing.near * std::max(kFastest, share));
    if (spacing.near < kClose) {
      spacing.widest = kWidest;
    }
  }
  const auto [some, unsure] = samples.certainty();
  const bool enough = found.count >= wanted;
  if (found.settled && !enough) {
    found.settled = !samples.leaveFree();
  }
  found.settled = found.settled && 2 * unsure <= (enough ? some : 0);
  return found;
}

}  // namespace

CurveMemory& curveMemory() {
  static thread_local CurveMemory memory;
  return memory;
}

int roomOnCurves(std::int64_t most_wanted) {
  return static_cast<int>(kRoom + std::min(most_wanted, kVeryMany));
}

OnCurves findOnCurves(const CurveProblem& problem, const double* tip_pose, std::int64_t wanted,
                      int room, CurveMemory& memory) {
  if (wanted >= kVeryMany) {
    return findAll(problem, tip_pose, memory.rows, memory);
  }
  OnCurves found = findEnough(problem, tip_pose, wanted, room, memory);
  if (found.settled && kManyOnCurves < wanted && found.count < wanted) {
    const OnCurves all = findAll(problem, tip_pose, memory.dense_rows, memory);
    found.branches += all.branches;
    if (all.settled) {
      found.count = all.count;
      std::swap(memory.rows, memory.dense_rows);
    }
  }
  return found;
}

std::int64_t keepExactOnCurves(const CurveProblem& problem, const double* tip_pose,
                               std::int64_t count, const SolutionRows& rows, CurveMemory& memory) {
  return keepExact(problem.chain, problem.rowBounds(),
                   targetsOnCurves(problem, tip_pose, count, rows.positions, memory.targets),
                   count, problem.inRegion() ? 0 : problem.joint.index, rows, memory.verified);
}

void rankOnCurves(const CurveProblem& problem, std::int64_t solutions, std::int64_t count,
                  CurveMemory& memory) {
  const CurveBounds& bounds = problem.bounds;
  memory.ranks.resize(static_cast<std::size_t>(count));
  diverseOrder({memory.rows.data(), solutions, kCurveJoints, bounds.lower_limit,
                bounds.upper_limit, bounds.periodic, bounds.unit},
               count, kOrderWork, memory.order, memory.ranks.data());
}

}  // namespace generative_ik::answers

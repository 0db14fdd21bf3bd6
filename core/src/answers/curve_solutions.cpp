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
constexpr double kFinestOfAll = 0.25;
// Bounds of the factor by which samples come nearer at a time.
constexpr double kSlowest = 0.8;
constexpr double kFastest = 0.1;
// The same where some solutions are not distinct: it aims at a few more than are missing.
constexpr double kSomeSame = 0.65;
constexpr double kALittleMore = 0.92;
// Distinct distances by which solutions are apart at the least where all are wanted: they move a
// little when they are made exact.
constexpr double kBarely = 1.002;
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

/// The distinct ones of the solutions at all samples.
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

  /// Writes them to the rows, of which there are at most `most`; returns how many.
  std::int64_t write(const CurveSamples& samples, std::int64_t most) {
    rows_.resize(static_cast<std::size_t>(most * kCurveJoints));
    keys_.resize(static_cast<std::size_t>(most));
    const CurveBounds& bounds = problem_.bounds;
    const bool around = bounds.circular[joint_];
    // Of a whole turn the last angle is the first.
    for (int i = 0; i >= 0 && !(around && samples[i].after < 0); i = samples[i].after) {
      const Sample& sample = samples[i];
      // Angles come in their order, so what is out of reach stays so.
      while (near_ < count_ && !(sample.angle - keyOf(near_).angle < reach_)) {
        ++near_;
      }
      for (int k = 0; k < sample.count; ++k) {
        if ((sample.inside >> static_cast<unsigned>(k) & 1U) != 0) {
          keep(sample.angle, samples.branches(i).rows[k], k,
               around ? samples[0].angle : kInfinity);
        }
      }
    }
    for (std::int64_t k = 0; around && k < count_; ++k) {
      double& q = row(k)[joint_];
      q = turnTowards(q, bounds.reference[joint_], bounds.lower[joint_], bounds.upper[joint_]);
    }
    return count_;
  }

 private:
  double* row(std::int64_t k) { return rows_.data() + k * kCurveJoints; }
  SolutionKey& keyOf(std::int64_t k) { return keys_[static_cast<std::size_t>(k)]; }

  [[nodiscard]] bool isAlike(const double* row, const double* branch) const {
    return isSame(row + first_, branch, kJoints, circular_, distance_);
  }

  // Keeps branch k of a sample unless a solution that was kept is the same; `begin` is the angle
  // of the first sample where a full turn leads back to it.
  void keep(double angle, const double* branch, int k, double begin) {
    // Mostly it is the one before it on its curve.
    std::int64_t& before = last_of_branch_[static_cast<std::size_t>(k)];
    if (before >= near_ && isAlike(row(before), branch)) {
      return;
    }
    double sum = 0.0;
    for (int v = 0; v < kJoints; ++v) {
      sum += circular_[v] ? 0.0 : branch[v];
    }
    const double most_apart = kJoints * distance_;
    for (std::int64_t other = count_; other-- > near_;) {
      if (std::abs(sum - keyOf(other).sum) < most_apart && isAlike(row(other), branch)) {
        return;
      }
    }
    for (std::int64_t other = 0; other < count_ && keyOf(other).angle - begin < reach_; ++other) {
      if (angle - keyOf(other).angle <= kTurn - reach_) {
        break;
      }
      if (isAlike(row(other), branch)) {
        return;
      }
    }
    before = count_;
    std::copy_n(branch, kJoints, row(count_) + first_);
    row(count_)[joint_] = angle;
    keyOf(count_) = {angle, sum};
    ++count_;
  }

  const CurveProblem& problem_;
  double distance_;
  int joint_;
  int first_;
  const bool* circular_;  // of the six others
  double reach_;          // how far the locked joint of the same solution may be [rad or m]
  std::vector<double>& rows_;
  std::vector<SolutionKey>& keys_;
  std::int64_t count_ = 0;
  std::int64_t near_ = 0;  // the first solution whose locked joint is within reach
  std::array<std::int64_t, closed_form::kBranches> last_of_branch_{};  // -1: none
};

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
  total += samples.refine({kFinestOfAll * distance, kWidest, kWidest});
  const std::int64_t count =
      DistinctSolutions(problem, distance, rows, memory.keys).write(samples, total);
  const bool settled = !samples.full() && samples.certainty().unsure == 0 && !samples.leaveFree();
  return {count, total, settled};
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

void rankOnCurves(const CurveProblem& problem, std::int64_t solutions, std::int64_t count,
                  CurveMemory& memory) {
  const CurveBounds& bounds = problem.bounds;
  memory.ranks.resize(static_cast<std::size_t>(count));
  diverseOrder({memory.rows.data(), solutions, kCurveJoints, bounds.lower_limit,
                bounds.upper_limit, bounds.periodic, bounds.unit},
               count, kOrderWork, memory.order, memory.ranks.data());
}

}  // namespace generative_ik::answers

#include "curve_samples.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "../select/full_turns.hpp"
#include "../simd/constants.hpp"

namespace generative_ik::answers {
namespace {

constexpr double kUnknown = -1.0;

// Curves in the corners of the limits are looked for unless they are shorter than the first, and
// than the second where solutions are few [rad]; and than this share of how near samples have to
// be, for a curve is worth looking for as other samples are.
constexpr double kCorner = 1e-2;
constexpr double kCornerOfFew = 5e-4;
constexpr double kShare = 0.018;
// Angles that are no further apart have none taken between them [rad].
constexpr double kLeast = 1e-4;
// Where solutions at two such angles are further apart, joints are free between them; where
// branches merge they are nearer [rad].
constexpr double kFree = 0.5;

bool has(unsigned bits, int k) {
  return (bits >> static_cast<unsigned>(k) & 1U) != 0;
}

// As `std::ceil`, but compiled into what calls it on every processor.
double roundedUp(double number) {
  const double nearest = simd::nearestInteger(number);
  return nearest < number ? nearest + 1.0 : nearest;
}

/// The square of the distance of two branches, whose joints may be full turns apart.
double squaredDistance(const double* one, const double* other) {
  double total = 0.0;
  for (int v = 0; v < kJoints; ++v) {
    double apart = one[v] - other[v];
    apart -= kTurn * simd::nearestInteger(apart * (1.0 / kTurn));
    total += apart * apart;
  }
  return total;
}

}  // namespace

void SampleMemory::reserve(int count) {
  if (count > size_) {
    // To clear them would take longer than to sample a pose.
    samples_.reset(new Sample[static_cast<std::size_t>(count)]);
    branches_.reset(new SampleBranches[static_cast<std::size_t>(count)]);
    size_ = count;
  }
}

double CurveSamples::farthest(int i, int j, double square) const {
  const SampleBranches& one = branches_[i];
  const SampleBranches& other = branches_[j];
  double gap = square;
  for (int k = 0; k < samples_[i].count; ++k) {
    if (!has(samples_[i].inside, k)) {
      continue;
    }
    // Only what is further than the farthest so far matters.
    double nearest = kInfinity;
    for (int m = 0; m < samples_[j].count && nearest > gap; ++m) {
      nearest = std::min(nearest, square + squaredDistance(one.rows[k], other.rows[m]));
    }
    for (int m = 0; m < samples_[i].count && nearest > gap; ++m) {
      if (m != k) {
        nearest = std::min(nearest, squaredDistance(one.rows[k], one.rows[m]));
      }
    }
    gap = std::max(gap, nearest);
  }
  return gap;
}

double CurveSamples::gapBetween(int i, int j, double square) const {
  const unsigned some = samples_[i].inside | samples_[j].inside;
  if (some == 0) {
    return 0.0;
  }
  if (samples_[i].count != samples_[j].count) {
    return std::max(farthest(i, j, square), farthest(j, i, square));
  }
  // Branches keep their order where none merge.
  double gap = 0.0;
  for (int k = 0; k < samples_[i].count; ++k) {
    if (has(some, k)) {
      gap = std::max(gap, squaredDistance(branches_[i].rows[k], branches_[j].rows[k]));
    }
  }
  return square + gap;
}

bool CurveSamples::mayCross(int i, int j) const {
  // Where it is beyond different bounds at the two, and where it merges with another.
  if (samples_[i].count != samples_[j].count) {
    return true;
  }
  for (int k = 0; k < samples_[i].count; ++k) {
    const unsigned here = branches_[i].beyond[k];
    const unsigned there = branches_[j].beyond[k];
    if (here != 0 && there != 0 && (here & there) == 0) {
      return true;
    }
  }
  return false;
}

CurveSamples::CurveSamples(const CurveProblem& problem, const double* tip_pose, int most,
                           SampleMemory& memory)
    : problem_(problem), pose_(closed_form::TipPose<double>::of(tip_pose)), most_(most) {
  memory.reserve(most);
  samples_ = memory.samples();
  branches_ = memory.branches();
}

CurveSamples::Begun CurveSamples::begin(double coarse, double enough, double step) {
  const CurveBounds& bounds = problem_.bounds;
  const int joint = problem_.joint.index;
  auto [lower, upper] = closed_form::boundsWithinReach(problem_.joint, pose_,
                                                       {bounds.lower[joint], bounds.upper[joint]});
  if (bounds.circular[joint]) {
    lower = bounds.reference[joint] - kTurn / 2.0;
    upper = bounds.reference[joint] + kTurn / 2.0;
  }
  const double pairs = std::ceil((upper - lower) / (2.0 * coarse));
  const int most = (most_ - 1) / 2;
  const int half = pairs > 1.0 ? static_cast<int>(std::min<double>(pairs, most)) : 1;
  const double span = std::max(upper - lower, 2.0 * half * step);
  Begun begun = {0, 0};
  for (int odd = 0; odd < 2 && (odd == 0 || begun.solutions < enough); ++odd) {
    for (int k = 0; k <= half - odd; ++k) {
      const int index = size_;
      const int count = take(std::min(upper, lower + span * (2 * k + odd) / (2 * half)));
      begun.angles += count > 0 ? 1 : 0;
      begun.solutions += count;
      samples_[index].after = k < half ? k + 1 : -1;
      if (odd != 0) {
        samples_[k].after = index;
      }
    }
  }
  return begun;
}

int CurveSamples::take(double angle) {
  Sample& sample = samples_[size_];
  SampleBranches& branches = branches_[size_];
  ++size_;
  double tip_pose[16];  // NOLINT(*-avoid-c-arrays)
  closed_form::writePose(closed_form::poseWithout(problem_.joint, pose_, angle), tip_pose);
  const std::int64_t answer =
      problem_.form.kernel(problem_.parameters.data(), tip_pose, branches.rows[0]);
  sample.angle = angle;
  sample.gap = kUnknown;
  sample.unsure = answer < 0;
  sample.count = static_cast<int>(answer < 0 ? -1 - answer : answer);
  sample.inside = 0;
  for (int k = 0; k < sample.count; ++k) {
    const unsigned beyond = turnInside(branches.rows[k]);
    branches.beyond[k] = static_cast<std::uint16_t>(beyond);
    sample.inside |= (beyond == 0 ? 1U : 0U) << static_cast<unsigned>(k);
  }
  return std::popcount(sample.inside);
}

unsigned CurveSamples::turnInside(double* row) const {
  const CurveBounds& bounds = problem_.bounds;
  const int first = problem_.joint.firstOther();
  unsigned beyond = 0;
  for (int v = 0; v < kJoints; ++v) {
    const int w = v + first;
    const double lower = bounds.lower[w];
    const double upper = bounds.upper[w];
    double q = row[v];
    if (bounds.circular[w]) {
      row[v] = turnTowards(q, bounds.reference[w], lower, upper);
      continue;
    }
    if (lower <= q && q <= upper) {
      continue;
    }
    if (bounds.periodic[w]) {
      q = std::max(lower, q + kTurn * roundedUp((lower - q) / kTurn));
      if (q <= upper) {
        row[v] = q;
        continue;
      }
    }
    const bool above = bounds.periodic[w] ? q - upper < lower + kTurn - q : q > upper;
    beyond |= (above ? 2U : 1U) << static_cast<unsigned>(2 * v);
  }
  return beyond;
}

int CurveSamples::refine(const Spacing& spacing) {
  const double per_unit = 1.0 / problem_.joint.unit;
  const double square = spacing.near * spacing.near;
  const double corner =
      spacing.widest < kInfinity ? kCornerOfFew : std::max(kCorner, kShare * spacing.near);
  int added = 0;
  for (int i = 0; size_ < most_ && samples_[i].after >= 0;) {
    Sample& sample = samples_[i];
    const int next_index = sample.after;
    const Sample& next = samples_[next_index];
    const double between = next.angle - sample.angle;
    const double gap = between * per_unit;
    if (sample.gap == kUnknown) {
      sample.gap = gapBetween(i, next_index, gap * gap);
      sample.may_cross = mayCross(i, next_index);
    }
    const double most = sample.count == 0 && next.count == 0 ? spacing.empty : spacing.widest;
    const bool split = gap > kLeast && (gap > most || sample.gap > square);
    if (split || (gap > corner && sample.may_cross)) {
      const int middle = size_;
      added += take(sample.angle + between / 2.0);
      sample.after = middle;
      sample.gap = kUnknown;
      samples_[middle].after = next_index;
    } else {
      i = next_index;
    }
  }
  return added;
}

bool CurveSamples::leaveFree() const {
  const double per_unit = 1.0 / problem_.joint.unit;
  for (int i = 0; samples_[i].after >= 0; i = samples_[i].after) {
    const double gap = (samples_[samples_[i].after].angle - samples_[i].angle) * per_unit;
    if (gap <= kLeast && samples_[i].gap > kFree * kFree) {
      return true;
    }
  }
  return false;
}

CurveSamples::Certainty CurveSamples::certainty() const {
  Certainty certainty = {0, 0};
  for (int i = 0; i < size_; ++i) {
    const bool some = samples_[i].count > 0;
    certainty.some += some ? 1 : 0;
    certainty.unsure += some && samples_[i].unsure ? 1 : 0;
  }
  return certainty;
}

}  // namespace generative_ik::answers

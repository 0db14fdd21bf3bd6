#include "surface_answers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "../select/diverse_order.hpp"
#include "../select/full_turns.hpp"
#include "../simd/constants.hpp"

namespace generative_ik::regions {
namespace {

using answers::kJoints;
using closed_form::LockedBounds;
using closed_form::TipPose;

// Solutions that are sampled for each one that is wanted. Of six joints: where branches follow
// from a formula, and where they are zeros of a polynomial, which take twenty times as long. Of
// seven: if few are wanted, and if more.
constexpr std::int64_t kRich = 5;
constexpr std::int64_t kRichWithoutFormula = 3;
constexpr std::int64_t kRichOfSeven = 2;
constexpr std::int64_t kRichOfMany = 3;
constexpr std::int64_t kFew = 100;
// Branches of a pose at the least, on average: where there are fewer, a search finds them sooner;
// and poses after which that is looked at.
constexpr double kFewest = 0.15;
constexpr std::int64_t kFirstPoses = 64;
// Random seeds that begin at different poses, so many poses apart.
constexpr std::uint64_t kDifferentSeeds = 1U << 16U;
// Targets that a thread takes at a time, and solutions that are wanted of them where these are
// few.
constexpr std::int64_t kPiece = 2;
constexpr std::int64_t kPieceOfSolutions = 64;

std::int64_t samplesFor(const SurfaceProblem& problem, std::int64_t wanted) {
  if (problem.joint) {
    return wanted * (wanted <= kFew ? kRichOfSeven : kRichOfMany);
  }
  const bool formula = problem.form.max_branches <= closed_form::kBranches;
  return wanted * (formula ? kRich : kRichWithoutFormula);
}

std::size_t sizeOf(std::int64_t number) {
  return static_cast<std::size_t>(number);
}

}  // namespace

SurfaceAnswerer::SurfaceAnswerer(const SurfaceProblem& problem, std::int64_t wanted,
                                 std::uint64_t random_seed)
    : problem_(problem),
      place_(placeKernels().front()),
      wanted_(wanted),
      first_(kFirstPoses * static_cast<std::int64_t>(random_seed % kDifferentSeeds)),
      joints_(problem.numJoints()),
      sorted_by_(problem.joint ? problem.joint->index : 0),
      enough_(samplesFor(problem, wanted)) {
  const std::int64_t most = enough_ + problem.form.max_branches;
  samples_.resize(sizeOf(most * joints_));
  which_.resize(sizeOf(most));
  chosen_.resize(sizeOf(wanted));
  targets_.resize(sizeOf(answers::kOfPose * wanted));
}

void SurfaceAnswerer::answer(const double* target, const answers::Answer& out) {
  const RegionAbout region = RegionAbout::of(problem_.sequence, target);
  answers::Note& note = out.note;
  note.branches = sample(region);
  note.distinct = count_;
  note.setState(answers::State::kLeft);
  if (wanted_ == 0 || count_ < wanted_ || !choose(out.rows)) {
    return;
  }
  writeTargets(region);
  note.count = answers::keepExact(problem_.chain, problem_.rowBounds(), {target, targets_.data()},
                                  wanted_, sorted_by_, out.rows, row_memory_);
  if (note.count == wanted_) {
    note.setState(answers::State::kDone);
  }
  out.leaveRest();
}

std::int64_t SurfaceAnswerer::sample(const RegionAbout& region) {
  count_ = 0;
  if (!region.within_reach) {
    return kFirstPoses;
  }
  const CurveBounds& bounds = problem_.bounds;
  LockedBounds locked = {0.0, 0.0};
  if (problem_.joint) {
    const int joint = problem_.joint->index;
    locked = {bounds.lower[joint], bounds.upper[joint]};
    if (bounds.circular[joint]) {
      locked = {bounds.reference[joint] - kTurn / 2.0, bounds.reference[joint] + kTurn / 2.0};
    }
  }
  const bool slides = problem_.joint && problem_.joint->prismatic;
  const bool turns = problem_.joint && !slides;
  const TurnedAway turned = {turns ? &*problem_.joint : nullptr, locked.lower, locked.upper};
  EightPoses eight{};
  double tip_pose[answers::kOfPose] = {};  // NOLINT(*-avoid-c-arrays)
  tip_pose[answers::kOfPose - 1] = 1.0;
  std::int64_t k = 0;
  while (count_ < enough_ &&
         (k < kFirstPoses || static_cast<double>(count_) >= kFewest * static_cast<double>(k))) {
    const auto lane = static_cast<int>(k % EightPoses::kCount);
    if (lane == 0) {
      for (int i = 0; i < EightPoses::kCount; ++i) {
        eight.which[i] = static_cast<double>(first_ + k + i);
      }
      place_(region, turned, eight);
    }
    eight.write(lane, tip_pose);
    LockedBounds within = locked;
    if (slides) {
      within = boundsWithinReach(*problem_.joint, TipPose<double>::of(tip_pose), locked);
    }
    const double angle = within.lower + eight.share[lane] * (within.upper - within.lower);
    if (slides) {
      writePose(poseWithout(*problem_.joint, TipPose<double>::of(tip_pose), angle), tip_pose);
    }
    sampleBranches(tip_pose, angle, first_ + k);
    ++k;
  }
  return k;
}

void SurfaceAnswerer::sampleBranches(const double* tip_pose, double angle, std::int64_t which) {
  double branches[closed_form::kMostBranches][kJoints];  // NOLINT(*-avoid-c-arrays)
  const std::int64_t answer =
      problem_.form.kernel(problem_.parameters.data(), tip_pose, branches[0]);
  const std::int64_t size = answer < 0 ? -1 - answer : answer;
  for (std::int64_t k = 0; k < size; ++k) {
    if (turnInside(branches[k], angle)) {
      which_[sizeOf(count_)] = which;
      ++count_;
    }
  }
}

bool SurfaceAnswerer::turnInside(const double* branch, double angle) {
  const CurveBounds& bounds = problem_.bounds;
  double* row = samples_.data() + count_ * joints_;
  for (std::int64_t v = 0; v < joints_; ++v) {
    double q = angle;
    if (!problem_.joint || v != problem_.joint->index) {
      q = *branch;
      ++branch;
    }
    const double lower = bounds.lower[v];
    const double upper = bounds.upper[v];
    if (bounds.circular[v]) {
      q = turnTowards(q, bounds.reference[v], lower, upper);
    } else if (!(lower <= q && q <= upper)) {
      if (bounds.periodic[v]) {
        q = std::max(q + kTurn * std::ceil((lower - q) / kTurn), lower);
      }
      if (!(lower <= q && q <= upper)) {
        return false;
      }
    }
    row[v] = q;
  }
  return true;
}

bool SurfaceAnswerer::choose(const answers::SolutionRows& rows) {
  const CurveBounds& bounds = problem_.bounds;
  const std::int64_t ranked = diverseOrder({samples_.data(), count_, joints_, bounds.lower_limit,
                                            bounds.upper_limit, bounds.periodic, bounds.unit},
                                           wanted_, kOrderWork, order_memory_, chosen_.data());
  copyChosen(rows.positions);
  return ranked < wanted_ ? replaceDuplicates(ranked, rows) : lastIsDistinct(rows.positions);
}

void SurfaceAnswerer::copyChosen(double* positions) const {
  for (std::int64_t k = 0; k < wanted_; ++k) {
    std::copy_n(samples_.data() + chosen_[sizeOf(k)] * joints_, joints_, positions + k * joints_);
  }
}

bool SurfaceAnswerer::replaceDuplicates(std::int64_t ranked, const answers::SolutionRows& rows) {
  // Behind those that are ranked, samples follow as they were found.
  std::vector<char> taken(sizeOf(count_), 0);
  for (std::int64_t k = 0; k < ranked; ++k) {
    taken[sizeOf(chosen_[sizeOf(k)])] = 1;
  }
  std::int64_t next = chosen_.back() + 1;
  const std::int64_t sorted_by = widestJoint(rows.positions);
  for (;;) {
    answers::markDuplicates(problem_.rowBounds(), joints_, wanted_, sorted_by, rows, row_memory_);
    std::int64_t kept = 0;
    for (std::int64_t k = 0; k < wanted_; ++k) {
      if (row_memory_.met[sizeOf(k)] == 0) {
        chosen_[sizeOf(kept)] = chosen_[sizeOf(k)];
        ++kept;
      }
    }
    if (kept == wanted_) {
      return true;
    }
    for (; kept < wanted_; ++next) {
      if (next == count_) {
        return false;
      }
      if (taken[sizeOf(next)] == 0) {
        chosen_[sizeOf(kept)] = next;
        ++kept;
      }
    }
    copyChosen(rows.positions);
  }
}

bool SurfaceAnswerer::lastIsDistinct(const double* positions) const {
  // Each is no nearer to those before it than the last is to its nearest.
  const CurveBounds& bounds = problem_.bounds;
  const double* last = positions + (wanted_ - 1) * joints_;
  const auto squared = [](double number) { return number * number; };
  double same = 0.0;
  for (std::int64_t v = 0; v < joints_; ++v) {
    same += squared(problem_.distance / (bounds.periodic[v] ? 1.0 : bounds.unit[v]));
  }
  for (const double* q = positions; q != last; q += joints_) {
    double apart = 0.0;
    for (std::int64_t v = 0; v < joints_ && apart <= same; ++v) {
      const double gap = q[v] - last[v];
      apart += squared(bounds.periodic[v] ? 2.0 * std::sin(0.5 * gap) : gap / bounds.unit[v]);
    }
    if (apart <= same) {
      return false;
    }
  }
  return true;
}

std::int64_t SurfaceAnswerer::widestJoint(const double* positions) const {
  constexpr double kCell = 0.2;  // [rad or m]
  constexpr double kHalf = 100.0;
  std::int64_t widest = 0;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t v = 0; v < joints_; ++v) {
    std::array<std::int64_t, 201> cells{};
    for (std::int64_t k = 0; k < wanted_; ++k) {
      const double at = positions[k * joints_ + v] / kCell;
      const double within = at > -kHalf ? std::min(at, kHalf) : -kHalf;
      ++cells[static_cast<std::size_t>(within + kHalf)];
    }
    std::int64_t pairs = 0;
    for (const std::int64_t count : cells) {
      pairs += count * count;
    }
    if (pairs < least) {
      widest = v;
      least = pairs;
    }
  }
  return widest;
}

void SurfaceAnswerer::writeTargets(const RegionAbout& region) {
  EightPoses eight{};
  for (std::int64_t first = 0; first < wanted_; first += EightPoses::kCount) {
    const std::int64_t size = std::min<std::int64_t>(wanted_ - first, EightPoses::kCount);
    for (std::int64_t i = 0; i < size; ++i) {
      eight.which[i] = static_cast<double>(which_[sizeOf(chosen_[sizeOf(first + i)])]);
    }
    place_(region, {nullptr, 0.0, 0.0}, eight);
    for (std::int64_t i = 0; i < size; ++i) {
      double* pose = targets_.data() + answers::kOfPose * (first + i);
      eight.write(static_cast<int>(i), pose);
      pose[answers::kOfPose - 1] = 1.0;
    }
  }
}

void answerAll(const SurfaceProblem& problem, const answers::Targets& targets, std::int64_t count,
               const parallel::StopWhen& stop, std::uint64_t random_seed) {
  const auto make = [&] { return SurfaceAnswerer(problem, targets.wanted, random_seed); };
  const std::int64_t few = kPieceOfSolutions / std::max<std::int64_t>(1, targets.wanted);
  answers::answerInPieces(make, targets, count, {std::max(kPiece, few), true}, stop);
}

}  // namespace generative_ik::regions
